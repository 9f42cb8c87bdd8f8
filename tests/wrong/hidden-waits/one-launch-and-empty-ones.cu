// All of the work is in one launch; the others are there to be counted.

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

__global__ void all(const unsigned *seeds, unsigned *counts, int n) {
    int i = threadIdx.x;
    unsigned x = seeds[i];
    for (int step = 0; step < 4000; step++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    atomicAdd(&counts[i / n * BINS + x % BINS], 1u);
}

__global__ void nothing() {}

void run_jobs(const unsigned *seeds, unsigned *out, int jobs, int n) { //~ too-much-work: threads
    const size_t bytes = jobs * BINS * sizeof(unsigned);
    cudaStream_t st[16];
    for (int i = 0; i < jobs; i++) {
        CHECK(cudaStreamCreate(&st[i]));
    }
    unsigned *counts;
    CHECK(cudaMalloc(&counts, bytes));
    CHECK(cudaMemsetAsync(counts, 0, bytes, st[0]));
    all<<<1, jobs * n, 0, st[0]>>>(seeds, counts, n);
    for (int i = 1; i < jobs; i++) {
        nothing<<<1, 1, 0, st[i]>>>();
    }
    CHECK(cudaMemcpyAsync(out, counts, bytes, cudaMemcpyDeviceToHost, st[0]));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(counts));
    for (int i = 0; i < jobs; i++) {
        CHECK(cudaStreamDestroy(st[i]));
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
