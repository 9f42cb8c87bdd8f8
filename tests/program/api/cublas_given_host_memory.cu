// The product is to go to an array of the host.
#include <cstdio>
#include <cublas_v2.h>

int main() {
    float *x, result[4], one = 1, zero = 0;
    cudaMalloc(&x, 8 * sizeof(float));
    cudaMemset(x, 0, 8 * sizeof(float));
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, x, 2, x, 2, &zero, result, 2); //~ A003
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
