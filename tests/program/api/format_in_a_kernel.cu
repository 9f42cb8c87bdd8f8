// A kernel prints one value fewer than its format asks for.
#include <cstdio>

__global__ void tell(int n) {
    printf("block %d of %d\n", n); //~ I003
}

int main() {
    tell<<<1, 1>>>(7);
    cudaDeviceSynchronize();
}
