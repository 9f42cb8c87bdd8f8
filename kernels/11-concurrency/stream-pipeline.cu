// stream-pipeline: chunks pass through three stages, each of which keeps a state.
//
// in, a, b, out: `chunks` rows of n numbers, n <= 64; state: 3 rows of n, one for
// each stage. All of it in device memory. A chunk takes this path:
//
//     in ── stage 0 ──▶ a ── stage 1 ──▶ b ── stage 2 ──▶ out

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

// A stage continues from the state in which the chunk before left it.
__global__ void stage(const unsigned *from, unsigned *to, unsigned *state, int n) {
    int i = threadIdx.x;
    if (i < n) {
        unsigned v = from[(i + 1) % n] + state[i];
        for (int step = 0; step < 1000; step++) {
            v ^= v << 13;
            v ^= v >> 17;
            v ^= v << 5;
        }
        to[i] = v;
        state[i] = v;
    }
}

// When it returns, `out` is complete.
void run_pipeline(const unsigned *in, unsigned *a, unsigned *b, unsigned *out, unsigned *state,
                  int chunks, int n) {
    // One stage after the other, one chunk after the other. Let the stages work at
    // the same time, each on a different chunk.
    for (int chunk = 0; chunk < chunks; chunk++) {
        int at = chunk * n;
        stage<<<1, n>>>(in + at, a + at, state, n);
        CHECK(cudaGetLastError());
        stage<<<1, n>>>(a + at, b + at, state + n, n);
        CHECK(cudaGetLastError());
        stage<<<1, n>>>(b + at, out + at, state + 2 * n, n);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
}

int main() {
    const int CHUNKS = 6, N = 64, BYTES = CHUNKS * N * sizeof(unsigned);
    unsigned *in, *a, *b, *out, *state, host[CHUNKS * N];
    CHECK(cudaMalloc(&in, BYTES));
    CHECK(cudaMalloc(&a, BYTES));
    CHECK(cudaMalloc(&b, BYTES));
    CHECK(cudaMalloc(&out, BYTES));
    CHECK(cudaMalloc(&state, 3 * N * sizeof(unsigned)));
    for (int i = 0; i < CHUNKS * N; i++) {
        host[i] = i + 1;
    }
    CHECK(cudaMemcpy(in, host, BYTES, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(state, 0, 3 * N * sizeof(unsigned)));
    run_pipeline(in, a, b, out, state, CHUNKS, N);
    CHECK(cudaMemcpy(host, out, BYTES, cudaMemcpyDeviceToHost));
    printf("%u %u\n", host[0], host[(CHUNKS - 1) * N]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(out));
    CHECK(cudaFree(state));
}
