// devices: 2
// Each rank's share replaces its own numbers.
#include <cstdio>
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
    const int ranks = 2, part = 64, n = ranks * part;
    ncclComm_t comms[ranks];
    cudaStream_t streams[ranks];
    float *x[ranks], first;
    if (ncclCommInitAll(comms, ranks, nullptr) != ncclSuccess) return 1;
    for (int r = 0; r < ranks; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaStreamCreate(&streams[r]));
        CHECK(cudaMalloc(&x[r], n * sizeof(float)));
        fill<<<1, n, 0, streams[r]>>>(x[r], 1.5f + r);
    }
    ncclGroupStart();
    for (int r = 0; r < ranks; r++) {
        ncclReduceScatter(x[r], x[r] + r * part, part, ncclFloat, ncclSum, comms[r], streams[r]);
    }
    ncclGroupEnd();
    for (int r = 0; r < ranks; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaStreamSynchronize(streams[r]));
        CHECK(cudaMemcpy(&first, x[r] + r * part, sizeof first, cudaMemcpyDeviceToHost));
        printf("rank %d: %g\n", r, first);
        CHECK(cudaFree(x[r]));
        CHECK(cudaStreamDestroy(streams[r]));
        ncclCommDestroy(comms[r]);
    }
}
