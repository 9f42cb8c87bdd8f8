// The leading dimension is that of the matrix.
#include <cstdio>
#include <cublas_v2.h>

int main() {
    float *a, *c, h[6], one = 1, zero = 0;
    cudaMalloc(&a, 64);
    cudaMemset(a, 0, 64);
    cudaMalloc(&c, 24);
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasStatus_t status =
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 2, 2, &one, a, 3, a, 2, &zero, c, 3);
    cudaMemcpy(h, c, 24, cudaMemcpyDeviceToHost);
    printf("%d\n", status);
    cublasDestroy(handle);
    cudaFree(a);
    cudaFree(c);
    return 0;
}
