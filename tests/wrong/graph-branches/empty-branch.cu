// One launch scrambles both halves, and the other branch does nothing.
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

// When it returns, all rounds are done.
void run_rounds(unsigned *x, unsigned *left, unsigned *right, int rounds, int n) {
    cudaStream_t a, b;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    cudaEvent_t halves_there, right_done;
    CHECK(cudaEventCreateWithFlags(&halves_there, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&right_done, cudaEventDisableTiming));

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    split<<<1, n, 0, a>>>(x, left, right, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(halves_there, a));

    // b is not captured on its own: waiting for an event of the capture brings it in.
    // From here on it is a branch of the graph.
    CHECK(cudaStreamWaitEvent(b, halves_there));
    scramble<<<1, n, 0, b>>>(right, right, 0);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(right_done, b));

    scramble<<<2, n, 0, a>>>(left, right, n); //~ too-much-work: blocks
    CHECK(cudaGetLastError());

    // And back again: a capture can only end when all branches have joined.
    CHECK(cudaStreamWaitEvent(a, right_done));
    join<<<1, n, 0, a>>>(left, right, x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamEndCapture(a, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));

    for (int round = 0; round < rounds; round++) {
        CHECK(cudaGraphLaunch(exec, a));
    }
    CHECK(cudaDeviceSynchronize());

    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaEventDestroy(halves_there));
    CHECK(cudaEventDestroy(right_done));
    CHECK(cudaStreamDestroy(a));
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
    run_rounds(x, left, right, 10, N);
    CHECK(cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost));
    printf("%u %u\n", host[0], host[N - 1]);
    CHECK(cudaFree(x));
    CHECK(cudaFree(left));
    CHECK(cudaFree(right));
}
