// One pinned buffer is filled again while the copy of the chunk before may still read it.
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
    int *pinned;
    CHECK(cudaMallocHost(&pinned, bytes));
    for (int c = 0; c < chunks; c++) {
        for (int i = 0; i < n; i++) pinned[i] = c * n + i; //~ O002
        CHECK(cudaMemcpyAsync(device + c * n, pinned, bytes, cudaMemcpyHostToDevice, stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFreeHost(pinned));
    int got[chunks * n], wrong = 0;
    CHECK(cudaMemcpy(got, device, chunks * bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < chunks * n; i++) wrong += got[i] != i;
    printf("%d wrong\n", wrong);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
}
