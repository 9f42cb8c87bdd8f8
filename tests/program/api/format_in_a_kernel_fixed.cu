// A kernel prints as many values as its format asks for.
#include <cstdio>

__global__ void tell(int n) {
    printf("block %d of %d\n", n, n + 1);
}

int main() {
    tell<<<1, 1>>>(7);
    cudaDeviceSynchronize();
}
