// Both scalars are in memory of the host, where the pointer mode wants memory of the GPU: one mistake.
#include <cstdio>
#include <cublas_v2.h>

int main() {
    float *x, one = 1, zero = 0;
    cudaMalloc(&x, 8 * sizeof(float));
    cudaMemset(x, 0, 8 * sizeof(float));
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, x, 2, x, 2, &zero, x + 4, 2); //~ A003
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
