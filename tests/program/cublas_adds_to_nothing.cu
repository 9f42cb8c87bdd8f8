// The factor of the old values of a result that was never written is one, in device memory.
#include <cstdio>
#include <cublas_v2.h>

int main() {
    float ones[4] = {1, 1, 1, 1}, factors[2] = {1, 1}, *a, *c, *f;
    cudaMalloc(&a, sizeof ones);
    cudaMalloc(&c, sizeof ones);
    cudaMalloc(&f, sizeof factors);
    cudaMemcpy(a, ones, sizeof ones, cudaMemcpyHostToDevice);
    cudaMemcpy(f, factors, sizeof factors, cudaMemcpyHostToDevice);
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    cublasStatus_t status = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, f, a, 2, a, 2, f + 1, c, 2); //~ I001
    cudaMemcpy(ones, c, sizeof ones, cudaMemcpyDeviceToHost);
    printf("%d %g\n", status, ones[3]);
    cublasDestroy(handle);
    cudaFree(a);
    cudaFree(c);
    cudaFree(f);
}
