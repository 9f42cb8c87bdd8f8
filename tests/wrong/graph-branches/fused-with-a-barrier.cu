// One kernel does a round's work, with a barrier; three more are captured to be counted.
// graph-branches: the same round again and again, in two streams.
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
        for (int step = 0; step < 200; step++) {
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

__global__ void all(unsigned *x, unsigned *left, unsigned *right, int n) {
    int i = threadIdx.x;
    unsigned l = x[i] + 1, r = 2 * x[i] + 1;
    for (int step = 0; step < 200; step++) {
        l ^= l << 13;
        r ^= r << 13;
        l ^= l >> 17;
        r ^= r >> 17;
        l ^= l << 5;
        r ^= r << 5;
    }
    left[i] = l;
    right[i] = r;
    __syncthreads();
    x[i] = left[(i + 1) % n] + right[(i + n - 1) % n];
}

__global__ void touch(volatile unsigned *left, volatile unsigned *right) {
    int i = threadIdx.x;
    left[i] = left[i];
    right[i] = right[i];
}

// When it returns, all rounds are done.
void run_rounds(unsigned *x, unsigned *left, unsigned *right, int rounds, int n) { //~ too-much-work: barriers
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    all<<<1, n, 0, s>>>(x, left, right, n);
    touch<<<1, n, 0, s>>>(left, right);
    touch<<<1, n, 0, s>>>(left, right);
    touch<<<1, n, 0, s>>>(left, right);
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int round = 0; round < rounds; round++) {
        CHECK(cudaGraphLaunch(exec, s));
    }
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(s));
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
    run_rounds(x, left, right, 10, N);
    CHECK(cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost));
    printf("%u %u\n", host[0], host[N - 1]);
    CHECK(cudaFree(x));
    CHECK(cudaFree(left));
    CHECK(cudaFree(right));
}
