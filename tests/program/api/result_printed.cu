// Results of calls that are printed, cast and kept are looked at; one that stands alone is not.
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

int main() {
    float *d_x;
    CHECK(cudaMalloc(&d_x, 16));
    printf("%d\n", (int)cudaMemset(d_x, 0, -1)); //~ A001
    cudaError_t both[] = {cudaStreamSynchronize(0), cudaPeekAtLastError()};
    printf("%d %d\n", both[0], (int)both[1]);
    printf("cudaFree: %s\n", cudaGetErrorName(cudaFree(d_x)));
    cudaDeviceSetCacheConfig((cudaFuncCache)77); //~ A010
    return 0;
}
