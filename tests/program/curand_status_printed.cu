// Normally distributed numbers come in pairs; the status of an odd number of them is looked at.
#include <cstdio>
#include <curand.h>

int main() {
    float *numbers, first = 0;
    cudaMalloc(&numbers, 7 * sizeof(float));
    cudaMemset(numbers, 0, 7 * sizeof(float));
    curandGenerator_t generator;
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
    printf("%d\n", curandGenerateNormal(generator, numbers, 7, 0, 1));
    cudaMemcpy(&first, numbers, sizeof first, cudaMemcpyDeviceToHost);
    printf("%g\n", first);
    curandDestroyGenerator(generator);
    cudaFree(numbers);
}
