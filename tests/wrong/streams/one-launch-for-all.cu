// One launch advances all jobs, and the others do nothing.
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

// Advances n random generators by 4000 steps, one thread for each.
__global__ void advance(const unsigned *seeds, unsigned *state, int n) {
    int i = threadIdx.x, at = blockIdx.x * n + i;
    if (i < n) {
        unsigned x = seeds[at];
        for (int step = 0; step < 4000; step++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
        state[at] = x;
    }
}

// Adds its neighbour's state to each state.
__global__ void combine(const unsigned *state, unsigned *out, int n) {
    int i = threadIdx.x;
    if (i < n) {
        out[i] = state[i] + state[(i + 1) % n];
    }
}

// When it returns, `out` is complete.
void run_jobs(const unsigned *seeds, unsigned *state, unsigned *out, int jobs, int n) {
    std::vector<cudaStream_t> streams(jobs);
    for (int job = 0; job < jobs; job++) {
        CHECK(cudaStreamCreate(&streams[job]));
        if (job == 0) {
            advance<<<jobs, n, 0, streams[0]>>>(seeds, state, n); //~ too-much-work: blocks
        } else {
            advance<<<1, n, 0, streams[0]>>>(seeds, state, 0);
        }
        CHECK(cudaGetLastError());
        combine<<<1, n, 0, streams[0]>>>(state + job * n, out + job * n, n);
        CHECK(cudaGetLastError());
    }
    // Once, for all: a wait inside the loop would hold back the next launch.
    CHECK(cudaDeviceSynchronize());
    for (cudaStream_t stream : streams) {
        CHECK(cudaStreamDestroy(stream));
    }
}

int main() {
    const int JOBS = 3, N = 64, BYTES = JOBS * N * sizeof(unsigned);
    unsigned *seeds, *state, *out, host[JOBS * N];
    CHECK(cudaMalloc(&seeds, BYTES));
    CHECK(cudaMalloc(&state, BYTES));
    CHECK(cudaMalloc(&out, BYTES));
    for (int i = 0; i < JOBS * N; i++) {
        host[i] = i + 1;
    }
    CHECK(cudaMemcpy(seeds, host, BYTES, cudaMemcpyHostToDevice));
    run_jobs(seeds, state, out, JOBS, N);
    CHECK(cudaMemcpy(host, out, BYTES, cudaMemcpyDeviceToHost));
    printf("%u %u %u\n", host[0], host[N], host[2 * N]);
    CHECK(cudaFree(seeds));
    CHECK(cudaFree(state));
    CHECK(cudaFree(out));
}
