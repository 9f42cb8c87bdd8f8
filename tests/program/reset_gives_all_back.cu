// cudaDeviceReset() ends the context with all that is in it: memory of every kind, streams, events.
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

__global__ void set(int *x) { x[threadIdx.x] = 7; }

int main() {
    int *device, *managed, *pinned;
    cudaStream_t stream;
    cudaEvent_t event;
    CHECK(cudaMalloc(&device, 128));
    CHECK(cudaMallocManaged(&managed, 128));
    CHECK(cudaMallocHost(&pinned, 128));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&event));
    set<<<1, 32, 0, stream>>>(device);
    CHECK(cudaDeviceReset());
    CHECK(cudaMalloc(&device, 128));
    set<<<1, 32>>>(device);
    int seven;
    CHECK(cudaMemcpy(&seven, device, sizeof seven, cudaMemcpyDeviceToHost));
    printf("%d\n", seven);
    return cudaDeviceReset();
}
