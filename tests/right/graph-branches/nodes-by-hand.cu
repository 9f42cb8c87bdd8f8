// The graph is made of nodes, without streams that are captured.
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

void run_rounds(unsigned *x, unsigned *left, unsigned *right, int rounds, int n) {
    cudaStream_t a;
    CHECK(cudaStreamCreate(&a));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaGraphCreate(&graph, 0));
    auto add = [&](void *kernel, void **args, cudaGraphNode_t *behind, size_t count) {
        cudaKernelNodeParams params = {};
        params.func = kernel;
        params.gridDim = dim3(1);
        params.blockDim = dim3(n);
        params.kernelParams = args;
        cudaGraphNode_t node;
        CHECK(cudaGraphAddKernelNode(&node, graph, behind, count, &params));
        return node;
    };
    void *split_args[] = {&x, &left, &right, &n}, *left_args[] = {&left, &n};
    void *right_args[] = {&right, &n}, *join_args[] = {&left, &right, &x, &n};
    cudaGraphNode_t first = add((void *)split, split_args, nullptr, 0);
    cudaGraphNode_t both[] = {add((void *)scramble, left_args, &first, 1),
                              add((void *)scramble, right_args, &first, 1)};
    add((void *)join, join_args, both, 2);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));

    for (int round = 0; round < rounds; round++) {
        CHECK(cudaGraphLaunch(exec, a));
    }
    CHECK(cudaDeviceSynchronize());

    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
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
    run_rounds(x, left, right, 10, N);
    CHECK(cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost));
    printf("%u %u\n", host[0], host[N - 1]);
    CHECK(cudaFree(x));
    CHECK(cudaFree(left));
    CHECK(cudaFree(right));
}
