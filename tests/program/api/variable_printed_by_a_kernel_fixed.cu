// Both variables have values.
#include <cstdio>

__global__ void show(int n) {
    int count = threadIdx.x, least = 4;
    printf("%d\n", count);
    printf("%d %d\n", least, n);
}

int main() {
    show<<<1, 2>>>(5);
    cudaDeviceSynchronize();
}
