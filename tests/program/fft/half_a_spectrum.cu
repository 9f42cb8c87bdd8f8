// Room for n / 2 numbers of a spectrum that has n / 2 + 1.
#include <cstdio>
#include <cufft.h>

int main() {
    const int n = 16;
    float *x;
    cufftComplex *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n / 2 * sizeof(cufftComplex));
    cudaMemset(x, 0, n * sizeof(float));
    cufftHandle plan;
    cufftPlan1d(&plan, n, CUFFT_R2C, 1);
    cufftExecR2C(plan, x, y); //~ M001
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cufftDestroy(plan);
    cudaFree(x);
    cudaFree(y);
}
