// Host functions of two streams add to a number that nothing guards.
#include <cstdio>

int total = 0;

void add(void *) { total += 1; }

int main() {
    cudaStream_t a, b;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaLaunchHostFunc(a, add, nullptr);
    cudaLaunchHostFunc(b, add, nullptr); //~ O003
    cudaDeviceSynchronize();
    printf("%d\n", total);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}
