// The transform is to go to memory from malloc().
#include <cstdio>
#include <cstdlib>
#include <cufft.h>

int main() {
    float *x;
    cufftComplex *result = (cufftComplex *)malloc(5 * sizeof(cufftComplex));
    cudaMalloc(&x, 8 * sizeof(float));
    cudaMemset(x, 0, 8 * sizeof(float));
    cufftHandle plan;
    cufftPlan1d(&plan, 8, CUFFT_R2C, 1);
    cufftExecR2C(plan, x, result); //~ A003
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    free(result);
}
