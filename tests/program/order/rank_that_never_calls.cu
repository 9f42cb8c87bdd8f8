// devices: 2
// exit: stopped
// The root takes part in the broadcast, the other rank was forgotten.
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

int main() {
    const int ranks = 2, n = 4;
    int host[n] = {4, 3, 2, 1}, got[n];
    ncclComm_t comms[ranks];
    cudaStream_t streams[ranks];
    int *x[ranks];
    if (ncclCommInitAll(comms, ranks, nullptr) != ncclSuccess) return 1;
    for (int r = 0; r < ranks; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaStreamCreate(&streams[r]));
        CHECK(cudaMalloc(&x[r], sizeof host));
        CHECK(cudaMemset(x[r], 0, sizeof host));
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaSetDevice(0));
    CHECK(cudaMemcpy(x[0], host, sizeof host, cudaMemcpyHostToDevice));
    ncclGroupStart();
    for (int r = 0; r < ranks - 1; r++) ncclBroadcast(x[r], x[r], n, ncclInt, 0, comms[r], streams[r]); //~ O008
    ncclGroupEnd();
    for (int r = 0; r < ranks; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaStreamSynchronize(streams[r]));
        CHECK(cudaMemcpy(got, x[r], sizeof got, cudaMemcpyDeviceToHost));
        printf("rank %d: %d %d %d %d\n", r, got[0], got[1], got[2], got[3]);
        CHECK(cudaFree(x[r]));
        CHECK(cudaStreamDestroy(streams[r]));
        ncclCommDestroy(comms[r]);
    }
}
