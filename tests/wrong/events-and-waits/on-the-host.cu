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

__global__ void split(const unsigned *x, unsigned *left, unsigned *right, int n) {
    int i = threadIdx.x;
    if (i < n) {
        left[i] = x[i] + 1;
        right[i] = 2 * x[i] + 1;
    }
}

__global__ void scramble(unsigned *part, int n) {
    int i = threadIdx.x;
    if (i < n) {
        unsigned v = part[i];
        for (int step = 0; step < 800; step++) {
            v ^= v << 13;
            v ^= v >> 17;
            v ^= v << 5;
        }
        part[i] = v;
    }
}

__global__ void join(const unsigned *left, const unsigned *right, unsigned *x, int n) {
    int i = threadIdx.x;
    if (i < n) {
        x[i] = left[(i + 1) % n] + right[(i + n - 1) % n];
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

// When it returns, all rounds are done.
void run_rounds(unsigned *x, unsigned *left, unsigned *right, int rounds, int n) { //~ too-much-work: speedup_over_starter_percent
    std::vector<unsigned> v(n), l(n), r(n);
    CHECK(cudaMemcpy(v.data(), x, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++) {
            l[i] = scrambled_there(v[i] + 1, 800);
            r[i] = scrambled_there(2 * v[i] + 1, 800);
        }
        for (int i = 0; i < n; i++) {
            v[i] = l[(i + 1) % n] + r[(i + n - 1) % n];
        }
        for (int k = 0; k < 4; k++) {
            split<<<1, n>>>(x, left, right, n);
            CHECK(cudaGetLastError());
        }
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(x, v.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
}

int main() {
    const int N = 64;
    unsigned *x, *left, *right, host[N];
    CHECK(cudaMalloc(&x, sizeof(host)));
    CHECK(cudaMalloc(&left, sizeof(host)));
    CHECK(cudaMalloc(&right, sizeof(host)));
    for (int i = 0; i < N; i++) {
        host[i] = i + 1;
    }
    CHECK(cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice));
    run_rounds(x, left, right, 4, N);
    CHECK(cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost));
    printf("%u %u\n", host[0], host[N - 1]);
    CHECK(cudaFree(x));
    CHECK(cudaFree(left));
    CHECK(cudaFree(right));
}
