// devices: 2
// One copy names the two GPUs the wrong way round, the next the same GPU twice, and the last GPU 0 for memory of GPU 1.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

int main() {
    const int n = 64;
    int host[n], *there, *here;
    for (int i = 0; i < n; i++) host[i] = i * i;
    CHECK(cudaMalloc(&there, sizeof host));
    CHECK(cudaMemcpy(there, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&here, sizeof host));
    CHECK(cudaMemcpyPeer(here, 0, there, 1, sizeof host)); //~ A017
    CHECK(cudaMemcpyPeerAsync(here, 1, there, 1, sizeof host)); //~ A017
    cudaMemcpy3DPeerParms box = {};
    box.srcPtr = make_cudaPitchedPtr(there, sizeof host, sizeof host, 1);
    box.srcDevice = 0;
    box.dstPtr = make_cudaPitchedPtr(here, sizeof host, sizeof host, 1);
    box.extent = make_cudaExtent(sizeof host, 1, 1);
    CHECK(cudaMemcpy3DPeer(&box)); //~ A017
    CHECK(cudaMemcpy(host, here, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d\n", host[n - 1]);
    CHECK(cudaFree(here));
    CHECK(cudaFree(there));
}
