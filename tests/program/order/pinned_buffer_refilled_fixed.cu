// Two pinned buffers in turn; before one is filled again, the event behind its copy is waited for.
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
    const int chunks = 4, n = 256;
    const size_t bytes = n * sizeof(int);
    int *device;
    CHECK(cudaMalloc(&device, chunks * bytes));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int *pinned[2];
    cudaEvent_t copied[2];
    for (int k = 0; k < 2; k++) {
        CHECK(cudaMallocHost(&pinned[k], bytes));
        CHECK(cudaEventCreateWithFlags(&copied[k], cudaEventDisableTiming));
    }
    for (int c = 0; c < chunks; c++) {
        int k = c % 2;
        CHECK(cudaEventSynchronize(copied[k]));
        for (int i = 0; i < n; i++) pinned[k][i] = c * n + i;
        CHECK(cudaMemcpyAsync(device + c * n, pinned[k], bytes, cudaMemcpyHostToDevice, stream));
        CHECK(cudaEventRecord(copied[k], stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    for (int k = 0; k < 2; k++) {
        CHECK(cudaEventDestroy(copied[k]));
        CHECK(cudaFreeHost(pinned[k]));
    }
    int got[chunks * n], wrong = 0;
    CHECK(cudaMemcpy(got, device, chunks * bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < chunks * n; i++) wrong += got[i] != i;
    printf("%d wrong\n", wrong);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
}
