// A library scales two thousand million elements of a vector that has 256.
#include <cstdio>
#include <cublas_v2.h>

int main() {
    cublasHandle_t handle;
    cublasCreate(&handle);
    float *x, two = 2;
    cudaMalloc(&x, 1024);
    cudaMemset(x, 0, 1024);
    cublasSscal(handle, 2000000000, &two, x, 2); //~ M001
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
