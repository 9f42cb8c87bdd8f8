// Counts in global memory: no shared memory is needed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

#define THREADS 256

__global__ void count(const int *in, int *counts, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) {
        atomicAdd(&counts[in[i]], 1);
    }
}

// When it returns, `counts` is complete.
void count_all(const int *in, int *counts, int n, int bins) { //~ too-much-work: shared_atomics
    CHECK(cudaMemset(counts, 0, bins * sizeof(int)));
    count<<<(n + THREADS - 1) / THREADS, THREADS>>>(in, counts, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

int main() {
    const int N = 6, BINS = 20000;
    int host[N] = {7, 19999, 7, 0, 7, 19999}, *in, *counts, one;
    CHECK(cudaMalloc(&in, sizeof(host)));
    CHECK(cudaMalloc(&counts, BINS * sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
    count_all(in, counts, N, BINS);
    for (int bin : {0, 7, 19999}) {
        CHECK(cudaMemcpy(&one, counts + bin, sizeof(int), cudaMemcpyDeviceToHost));
        printf("%d: %d\n", bin, one); // 1, 3, 2
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(counts));
}
