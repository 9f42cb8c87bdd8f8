// The buffer goes back to the pool on a stream that does not wait for the kernel that uses it.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void fill(int *x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] = value; }

int main() {
    const int n = 512;
    cudaStream_t work, clean;
    CHECK(cudaStreamCreate(&work));
    CHECK(cudaStreamCreate(&clean));
    int *x, *last;
    CHECK(cudaMallocHost(&last, sizeof(int)));
    CHECK(cudaMallocAsync(&x, n * sizeof(int), work));
    CHECK(cudaStreamSynchronize(work));
    fill<<<4, 128, 0, work>>>(x, 42);
    CHECK(cudaMemcpyAsync(last, x + n - 1, sizeof(int), cudaMemcpyDeviceToHost, work));
    CHECK(cudaFreeAsync(x, clean)); //~ O005
    CHECK(cudaStreamSynchronize(work));
    CHECK(cudaStreamSynchronize(clean));
    printf("last: %d\n", *last);
    CHECK(cudaFreeHost(last));
    CHECK(cudaStreamDestroy(work));
    CHECK(cudaStreamDestroy(clean));
}
