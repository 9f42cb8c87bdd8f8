// A transform from complex to real numbers overwrites its input, unless that is where its output goes.
#include <cstdio>
#include <cufft.h>

__global__ void real_parts(const cufftComplex *y, float *out) { out[threadIdx.x] = y[threadIdx.x].x > 0; } //~ I001

int main() {
    const int n = 16, half = n / 2 + 1;
    float *x, *out;
    cufftComplex *y;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMalloc(&y, half * sizeof(cufftComplex));
    cudaMalloc(&out, half * sizeof(float));
    for (int i = 0; i < n; i++) x[i] = i % 3;
    cufftHandle forward, inverse;
    cufftPlan1d(&forward, n, CUFFT_R2C, 1);
    cufftPlan1d(&inverse, n, CUFFT_C2R, 1);

    cufftExecR2C(forward, x, y);
    real_parts<<<1, half>>>(y, out);
    cufftExecC2R(inverse, y, x);
    real_parts<<<1, half>>>(y, out);
    cudaDeviceSynchronize();
    printf("%.4g %.4g\n", x[1] / n, x[2] / n);

    cufftExecR2C(forward, x, y);
    cufftExecC2R(inverse, y, (float *)y);
    real_parts<<<1, half / 2>>>(y, out);
    cudaDeviceSynchronize();
    cufftDestroy(forward);
    cufftDestroy(inverse);
    cudaFree(x);
    cudaFree(y);
    cudaFree(out);
}
