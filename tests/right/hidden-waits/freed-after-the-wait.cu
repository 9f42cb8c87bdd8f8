// Waits for each job's counts; frees that come after, and a record of an event, need no waiting.
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

void run_jobs(const unsigned *seeds, unsigned *out, int jobs, int n) {
    const size_t bytes = BINS * sizeof(unsigned);
    std::vector<cudaStream_t> streams(jobs);
    std::vector<unsigned *> counts(jobs);

    for (int job = 0; job < jobs; job++) {
        unsigned *mine;
        CHECK(cudaStreamCreate(&streams[job]));
        CHECK(cudaMallocAsync(&mine, bytes, streams[job]));
        CHECK(cudaMemsetAsync(mine, 0, bytes, streams[job]));
        count<<<1, n, 0, streams[job]>>>(seeds + job * n, mine, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(out + job * BINS, mine, bytes, cudaMemcpyDeviceToHost, streams[job]));
        counts[job] = mine;
    }
    for (int job = 0; job < jobs; job++) {
        CHECK(cudaStreamSynchronize(streams[job]));
    }

    cudaEvent_t end;
    CHECK(cudaEventCreate(&end));
    for (int job = 0; job < jobs; job++) {
        CHECK(cudaFreeAsync(counts[job], streams[job]));
        CHECK(cudaEventRecord(end, streams[job]));
        CHECK(cudaStreamWaitEvent(streams[0], end, 0));
    }
    CHECK(cudaEventDestroy(end));
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
