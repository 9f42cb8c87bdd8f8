// One launch scrambles both halves, and one does nothing: a single stream is enough.
#include <cstdio>
#include <cstdlib>

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

// Block 0 works on `part`, block 1 on `other`.
__global__ void scramble(unsigned *part, unsigned *other, int n) {
    part = blockIdx.x == 0 ? part : other;
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

// When it returns, all rounds are done.
void run_rounds(unsigned *x, unsigned *left, unsigned *right, int rounds, int n) {
    cudaStream_t a;
    CHECK(cudaStreamCreate(&a));
    // The host only queues work; it is rounds ahead of the GPU.
    for (int round = 0; round < rounds; round++) {
        split<<<1, n, 0, a>>>(x, left, right, n);
        CHECK(cudaGetLastError());

        scramble<<<2, n, 0, a>>>(left, right, n); //~ too-much-work: blocks
        CHECK(cudaGetLastError());
        scramble<<<1, n, 0, a>>>(left, right, 0);
        CHECK(cudaGetLastError());
        join<<<1, n, 0, a>>>(left, right, x, n);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());

    CHECK(cudaStreamDestroy(a));
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
