// The factors of a product are in device memory, and that of the result's old values is zero: they need not be there.
#include <cstdio>
#include <cublas_v2.h>

int main() {
    float ones[4] = {1, 1, 1, 1}, factors[2] = {1, 0}, *a, *c, *f;
    cudaMalloc(&a, sizeof ones);
    cudaMalloc(&c, sizeof ones);
    cudaMalloc(&f, sizeof factors);
    cudaMemcpy(a, ones, sizeof ones, cudaMemcpyHostToDevice);
    cudaMemcpy(f, factors, sizeof factors, cudaMemcpyHostToDevice);
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    cublasStatus_t status = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, f, a, 2, a, 2, f + 1, c, 2);
    cudaMemcpy(ones, c, sizeof ones, cudaMemcpyDeviceToHost);
    printf("%d %g\n", status, ones[3]);
    cublasDestroy(handle);
    cudaFree(a);
    cudaFree(c);
    cudaFree(f);
}
