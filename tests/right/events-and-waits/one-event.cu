// One event for both ways, and only one stream besides the default stream.
// events-and-waits: order between two streams, without the host.
//
// x, left, right: n numbers each, n <= 64, in device memory. A round is
//
//                 ┌─▶ scramble(left)  ─┐
//     split(x) ───┤                    ├─▶ join ─▶ x
//                 └─▶ scramble(right) ─┘

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

// When it returns, all rounds are done.
void run_rounds(unsigned *x, unsigned *left, unsigned *right, int rounds, int n) {
    // What is not launched into b is in the default stream, which b doesn't wait for.
    cudaStream_t b;
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    cudaEvent_t mark;
    CHECK(cudaEventCreate(&mark));
    for (int round = 0; round < rounds; round++) {
        split<<<1, n>>>(x, left, right, n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(mark));
        CHECK(cudaStreamWaitEvent(b, mark));
        scramble<<<1, n>>>(left, n);
        CHECK(cudaGetLastError());
        scramble<<<1, n, 0, b>>>(right, n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(mark, b));
        CHECK(cudaStreamWaitEvent(0, mark));
        join<<<1, n>>>(left, right, x, n);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaStreamSynchronize(0));
    CHECK(cudaEventDestroy(mark));
    CHECK(cudaStreamDestroy(b));
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
