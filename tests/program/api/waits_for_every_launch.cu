// CUDA_LAUNCH_BLOCKING=1: the error of a kernel is there when the launch returns.
// launch-blocking: 1
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                   \
    do {                                                              \
        cudaError_t e_ = (call);                                      \
        if (e_ != cudaSuccess) {                                      \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                  \
        }                                                             \
    } while (0)

__global__ void scale(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

__global__ void stop_here() { __trap(); } //~ T001

int main() {
    float x[64] = {1}, *d_x;
    CHECK(cudaMalloc(&d_x, sizeof(x)));
    CHECK(cudaMemcpy(d_x, x, sizeof(x), cudaMemcpyHostToDevice));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    scale<<<1, 64, 0, stream>>>(d_x, 64);
    printf("busy: %d\n", cudaStreamQuery(stream) == cudaErrorNotReady);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(d_x));
    stop_here<<<1, 1>>>();
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
