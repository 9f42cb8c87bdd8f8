// What a host function counts is read when the stream has come to it.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

struct Progress {
    int done, asked;
};

void CUDART_CB count(void *argument) { static_cast<Progress *>(argument)->done++; }

__global__ void work(float *x) { x[threadIdx.x] = sqrtf(x[threadIdx.x]); }

int main() {
    Progress progress = {0, 3};
    float *x;
    CHECK(cudaMalloc(&x, 64 * sizeof(float)));
    CHECK(cudaMemset(x, 0, 64 * sizeof(float)));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < progress.asked; i++) {
        work<<<1, 64, 0, stream>>>(x);
        CHECK(cudaLaunchHostFunc(stream, count, &progress));
    }
    printf("%d asked for\n", progress.asked);
    CHECK(cudaStreamSynchronize(stream));
    printf("%d of %d\n", progress.done, progress.asked);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
}
