// The fixed twin: every second of the elements that there are.
#include <cstdio>
#include <cublas_v2.h>

int main() {
    cublasHandle_t handle;
    cublasCreate(&handle);
    float *x, two = 2;
    cudaMalloc(&x, 1024);
    cudaMemset(x, 0, 1024);
    cublasSscal(handle, 128, &two, x, 2);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(x);
    cublasDestroy(handle);
    return 0;
}
