// stream-pipeline: chunks pass three stages, each of which carries a state on.
//
// in, a, b, out: `chunks` rows of n numbers, n <= 64; state: 3 rows of n, one
// for each stage. All of it in device memory. A chunk takes this way:
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

// A stage goes on with the state that the chunk before has left to it.
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

// When it returns, all of `out` is there.
void run_pipeline(const unsigned *in, unsigned *a, unsigned *b, unsigned *out, unsigned *state,
                  int chunks, int n) { //~ too-much-work: unfinished_returns
    // A stream for each stage: so its chunks come in order, and find the state
    // of the chunk before. `passed[s]` is recorded when a chunk is through s.
    cudaStream_t streams[3];
    cudaEvent_t passed[3];
    for (int s = 0; s < 3; s++) {
        CHECK(cudaStreamCreate(&streams[s]));
        CHECK(cudaEventCreateWithFlags(&passed[s], cudaEventDisableTiming));
    }

    for (int chunk = 0; chunk < chunks; chunk++) {
        const unsigned *from = in + chunk * n;
        unsigned *ways[3] = {a + chunk * n, b + chunk * n, out + chunk * n};
        for (int s = 0; s < 3; s++) {
            // Between two streams it takes an event, one for each chunk. The
            // wait is for this record; the next one does not change it.
            if (s > 0) {
                CHECK(cudaStreamWaitEvent(streams[s], passed[s - 1]));
            }
            stage<<<1, n, 0, streams[s]>>>(from, ways[s], state + s * n, n);
            CHECK(cudaGetLastError());
            CHECK(cudaEventRecord(passed[s], streams[s]));
            from = ways[s];
        }
    }

    for (int s = 0; s < 3; s++) {
        CHECK(cudaEventDestroy(passed[s]));
        CHECK(cudaStreamDestroy(streams[s]));
    }
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
