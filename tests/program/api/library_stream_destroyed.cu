// A library is given a stream that was destroyed.
#include <cstdio>
#include <cublas_v2.h>

int main() {
    cublasHandle_t handle;
    cublasCreate(&handle);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamDestroy(stream);
    printf("%s\n", cublasGetStatusName(cublasSetStream(handle, stream))); //~ A008
    printf("%s\n", cublasGetStatusName(cublasGetVersion(handle, nullptr)));
    cublasDestroy(handle);
    return 0;
}
