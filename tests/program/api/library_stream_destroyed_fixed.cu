// The fixed twin: the stream lives as long as the handle.
#include <cstdio>
#include <cublas_v2.h>

int main() {
    cublasHandle_t handle;
    cublasCreate(&handle);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    printf("%s\n", cublasGetStatusName(cublasSetStream(handle, stream)));
    printf("%s\n", cublasGetStatusName(cublasGetVersion(handle, nullptr)));
    cublasDestroy(handle);
    cudaStreamDestroy(stream);
    return 0;
}
