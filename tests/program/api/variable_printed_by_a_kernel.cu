// A kernel prints a variable that was never given a value, behind a print of another.
#include <cstdio>

__global__ void show(int n) {
    int count = threadIdx.x, least;
    printf("%d\n", count);
    printf("%d %d\n", least, n); //~ I002
}

int main() {
    show<<<1, 2>>>(5);
    cudaDeviceSynchronize();
}
