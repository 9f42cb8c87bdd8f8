// A kernel is launched into a stream of a GPU that is not the current one.
// devices: 2
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

__global__ void set(int *p) { p[threadIdx.x] = 1; }

int main() {
    cudaStream_t stream;
    int *p;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&p, 32 * sizeof(int)));
    set<<<1, 32, 0, stream>>>(p); //~ A011
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFree(p));
    CHECK(cudaStreamDestroy(stream));
}
