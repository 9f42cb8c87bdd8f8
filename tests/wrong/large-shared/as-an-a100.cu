// Knows what a block of one GPU can have.
//
// in: n ints from 0 to bins - 1, counts: bins ints, both in device memory.

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

// Adds to counts how often the bins from `first` on occur, `some` of them. The launch
// gives it shared memory for so many ints. Leave it as it is.
__global__ void count_some(const int *in, int *counts, int n, int first, int some) {
    extern __shared__ int part[];
    for (int b = threadIdx.x; b < some; b += THREADS) {
        part[b] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        int b = in[i] - first;
        if (b >= 0 && b < some) {
            atomicAdd(&part[b], 1);
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < some; b += THREADS) {
        if (part[b] != 0) {
            atomicAdd(&counts[first + b], part[b]);
        }
    }
}

// When it returns, `counts` is complete.
void count_all(const int *in, int *counts, int n, int bins) {
    CHECK(cudaMemset(counts, 0, bins * sizeof(int)));
    // What a block can have on this GPU, if the kernel asks for it.
    int most = 166912;
    int room = std::min(bins, most / (int)sizeof(int)); // bins at a time
    CHECK(cudaFuncSetAttribute(count_some, cudaFuncAttributeMaxDynamicSharedMemorySize, //~ failed-call
                               room * sizeof(int)));

    int blocks = (n + 4095) / 4096;
    for (int first = 0; first < bins; first += room) {
        int some = std::min(room, bins - first); // the last pass may have fewer
        count_some<<<blocks, THREADS, some * sizeof(int)>>>(in, counts, n, first, some);
        CHECK(cudaGetLastError());
    }
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
