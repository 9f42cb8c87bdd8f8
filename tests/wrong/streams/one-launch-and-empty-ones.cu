// All jobs in one launch, and launches of nothing to make up the number.

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

// Moves n random generators on by 4000 steps, one thread for each.
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

// Adds to each state that of its neighbour.
__global__ void combine(const unsigned *state, unsigned *out, int n) {
    int i = threadIdx.x;
    if (i < n) {
        out[i] = state[i] + state[(i + 1) % n];
    }
}

__global__ void both(const unsigned *seeds, unsigned *out, int n) {
    __shared__ unsigned state[64];
    int i = threadIdx.x, at = blockIdx.x * n;
    unsigned x = seeds[at + i];
    for (int step = 0; step < 4000; step++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    state[i] = x;
    __syncthreads();
    out[at + i] = x + state[(i + 1) % n];
}

__global__ void nothing() {}

// When it returns, all of `out` is there.
void run_jobs(const unsigned *seeds, unsigned *state, unsigned *out, int jobs, int n) {
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    both<<<jobs, n, 0, stream>>>(seeds, out, n); //~ too-much-work: global_writes
    CHECK(cudaGetLastError());
    for (int launch = 1; launch < 2 * jobs; launch++) {
        nothing<<<1, 1, 0, stream>>>();
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(stream));
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
