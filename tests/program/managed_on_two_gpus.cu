// A __managed__ variable is one for all GPUs and the host; a __device__ variable is each GPU's own.
// devices: 2
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

__managed__ int shared_count = 5;
__managed__ float table[4] = {1.0f, 2.0f, 3.0f, 4.0f};
__device__ int own_count = 100;

__global__ void add(int by) {
    shared_count += by;
    own_count += by;
    table[by - 1] *= 10.0f;
}

int main() {
    for (int round = 0; round < 2; round++) {
        for (int gpu = 0; gpu < 2; gpu++) {
            CHECK(cudaSetDevice(gpu));
            add<<<1, 1>>>(1 + gpu);
            CHECK(cudaGetLastError());
            CHECK(cudaDeviceSynchronize());
            int own;
            CHECK(cudaMemcpyFromSymbol(&own, own_count, sizeof(int)));
            printf("GPU %d: shared %d, own %d\n", gpu, shared_count, own);
        }
        shared_count += 100;
    }
    printf("%g %g %g %g\n", table[0], table[1], table[2], table[3]);
    return 0;
}
