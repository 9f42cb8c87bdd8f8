// The pointer mode says that the result is in device memory.
#include <cstdio>
#include <cublas_v2.h>

int main() {
    float h[8] = {1, 2, 3, 4, 5, 6, 7, 8}, *x, *r, sum;
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&r, sizeof(float));
    cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    cublasSasum(handle, 8, x, 1, r);
    cudaMemcpy(&sum, r, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", sum);
    cublasDestroy(handle);
    cudaFree(x);
    cudaFree(r);
    return 0;
}
