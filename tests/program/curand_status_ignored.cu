// Normally distributed numbers come in pairs: for an odd number of them nothing is generated, and nobody looks.
#include <cstdio>
#include <curand.h>

int main() {
    float *numbers, first = 0;
    cudaMalloc(&numbers, 7 * sizeof(float));
    cudaMemset(numbers, 0, 7 * sizeof(float));
    curandGenerator_t generator;
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
    curandGenerateNormal(generator, numbers, 7, 0, 1); //~ A010
    cudaMemcpy(&first, numbers, sizeof first, cudaMemcpyDeviceToHost);
    printf("%g\n", first);
    curandDestroyGenerator(generator);
    cudaFree(numbers);
}
