// devices: 2
// One thread asks all ranks for a sum, in a group.
#include <cstdio>
#include <cstdlib>
#include <nccl.h>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void fill(float *x, float value) { x[threadIdx.x] = value; }

int main() {
    const int ranks = 2, n = 32;
    ncclComm_t comms[ranks];
    cudaStream_t streams[ranks];
    float *x[ranks], first;
    if (ncclCommInitAll(comms, ranks, nullptr) != ncclSuccess) return 1;
    for (int r = 0; r < ranks; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaStreamCreate(&streams[r]));
        CHECK(cudaMalloc(&x[r], n * sizeof(float)));
        fill<<<1, n, 0, streams[r]>>>(x[r], 1.0f + r);
    }
    ncclGroupStart();
    for (int r = 0; r < ranks; r++) {
        ncclAllReduce(x[r], x[r], n, ncclFloat, ncclSum, comms[r], streams[r]);
    }
    ncclGroupEnd();
    for (int r = 0; r < ranks; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaStreamSynchronize(streams[r]));
        CHECK(cudaMemcpy(&first, x[r], sizeof first, cudaMemcpyDeviceToHost));
        printf("rank %d: %g\n", r, first);
        CHECK(cudaFree(x[r]));
        CHECK(cudaStreamDestroy(streams[r]));
        ncclCommDestroy(comms[r]);
    }
}
