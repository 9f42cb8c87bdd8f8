// One launch counts for all jobs, and the others do nothing: streams are not needed.
#include <cstdio>
#include <cstdlib>
#include <vector>

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
    seeds += blockIdx.x * n;
    counts += blockIdx.x * BINS;
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

// When it returns, `out` is complete.
void run_jobs(const unsigned *seeds, unsigned *out, int jobs, int n) {
    const size_t bytes = BINS * sizeof(unsigned);
    // Once for all jobs: allocating memory and freeing it takes longer than a job,
    // and cudaFree waits for everything that is under way.
    unsigned *counts;
    CHECK(cudaMalloc(&counts, jobs * bytes));

    CHECK(cudaMemset(counts, 0, jobs * bytes));
    for (int job = 0; job < jobs; job++) {
        count<<<job == 0 ? jobs : 1, n>>>(seeds, counts, job == 0 ? n : 0); //~ too-much-work: streams_made
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpy(out, counts, jobs * bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(counts));
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
