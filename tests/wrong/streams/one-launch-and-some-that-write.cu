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

// Advances n random generators by 4000 steps, one thread for each.
__global__ void advance(const unsigned *seeds, unsigned *state, int n) {
    int i = threadIdx.x;
    if (i < n) {
        unsigned x = seeds[i];
        for (int step = 0; step < 4000; step++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
        state[i] = x;
    }
}

// Adds its neighbour's state to each state.
__global__ void combine(const unsigned *state, unsigned *out, int n) {
    int i = threadIdx.x;
    if (i < n) {
        out[i] = state[i] + state[(i + 1) % n];
    }
}

__global__ void all(const unsigned *seeds, unsigned *state, unsigned *out, int n) {
    int i = threadIdx.x, job = i / n;
    unsigned x = seeds[i];
    for (int step = 0; step < 4000; step++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    state[i] = x;
    __syncthreads();
    out[i] = x + state[job * n + (i % n + 1) % n];
}

__device__ unsigned spare[64][64];

__global__ void touch(int k) {
    spare[k][threadIdx.x] = 1;
}

void run_jobs(const unsigned *seeds, unsigned *state, unsigned *out, int jobs, int n) { //~ too-much-work: global_reads
    cudaStream_t st[16];
    for (int i = 0; i < jobs; i++) {
        CHECK(cudaStreamCreate(&st[i]));
    }
    all<<<1, jobs * n, 0, st[0]>>>(seeds, state, out, n);
    for (int i = 1; i < 2 * jobs; i++) {
        touch<<<1, n, 0, st[i % jobs]>>>(i);
    }
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < jobs; i++) {
        CHECK(cudaStreamDestroy(st[i]));
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
