// Takes the second call for a repetition of the first: its counts are kept.

#include <cstdio>
#include <cstdlib>
#include <vector>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

const int BINS = 16;

// Advances n random generators by 4000 steps and counts where they end.
__global__ void count(const unsigned *seeds, unsigned *counts, int n) {
    int i = threadIdx.x;
    if (i < n) {
        unsigned x = seeds[i];
        for (int step = 0; step < 4000; step++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
        atomicAdd(&counts[x % BINS], 1u);
    }
}

__device__ unsigned kept[BINS * 64], spare[BINS * 64];

void run_jobs(const unsigned *seeds, unsigned *out, int jobs, int n) {
    static bool known = false;
    const size_t bytes = BINS * sizeof(unsigned);
    std::vector<cudaStream_t> streams(jobs);
    unsigned *counts, *found;
    CHECK(cudaGetSymbolAddress((void **)&found, kept));
    CHECK(cudaGetSymbolAddress((void **)&counts, known ? spare : kept));
    known = true;

    for (int job = 0; job < jobs; job++) {
        unsigned *mine = counts + job * BINS;
        CHECK(cudaStreamCreate(&streams[job]));
        CHECK(cudaMemsetAsync(mine, 0, bytes, streams[job]));
        count<<<1, n, 0, streams[job]>>>(seeds + job * n, mine, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(out + job * BINS, found + job * BINS, bytes, cudaMemcpyDeviceToHost, //~ wrong-result
                              streams[job]));
    }
    CHECK(cudaDeviceSynchronize());

    for (cudaStream_t stream : streams) {
        CHECK(cudaStreamDestroy(stream));
    }
}

int main() {
    const int JOBS = 3, N = 64;
    unsigned *seeds, *out, host[JOBS * N];
    CHECK(cudaMalloc(&seeds, sizeof(host)));
    CHECK(cudaMallocHost(&out, JOBS * BINS * sizeof(unsigned)));
    for (int i = 0; i < JOBS * N; i++) {
        host[i] = i + 1;
    }
    CHECK(cudaMemcpy(seeds, host, sizeof(host), cudaMemcpyHostToDevice));
    run_jobs(seeds, out, JOBS, N);
    for (int job = 0; job < JOBS; job++) {
        for (int bin = 0; bin < BINS; bin++) {
            printf("%u%c", out[job * BINS + bin], bin == BINS - 1 ? '\n' : ' ');
        }
    }
    CHECK(cudaFree(seeds));
    CHECK(cudaFreeHost(out));
}
