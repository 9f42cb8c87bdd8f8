// The host computes, and a graph of kernels that do nothing runs beside it.

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

const int COUNT = 5;

__global__ void multiply(unsigned *x) {
    x[threadIdx.x] *= 1664525u;
}

__global__ void fold(unsigned *x) {
    x[threadIdx.x] ^= x[threadIdx.x] >> 16;
}

__global__ void add(unsigned *x) {
    x[threadIdx.x] += 1013904223u;
}

__global__ void rotate(unsigned *x) {
    x[threadIdx.x] = x[threadIdx.x] << 13 | x[threadIdx.x] >> 19;
}

__global__ void nothing() {}

// When it returns, all of `out` is there.
void run_batches(const unsigned *in, unsigned *x, unsigned *out, int batches, int rounds) {
    std::vector<unsigned> all(batches * COUNT);
    const size_t bytes = batches * COUNT * sizeof(unsigned);
    CHECK(cudaMemcpy(all.data(), in, bytes, cudaMemcpyDeviceToHost)); //~ too-much-work: global_writes
    for (int i = 0; i < batches * COUNT; i++) {
        unsigned v = all[i];
        for (int round = 0; round < rounds; round++) {
            v *= 1664525u;
            v ^= v >> 16;
            v += 1013904223u;
            v = v << 13 | v >> 19;
        }
        all[i] = v;
    }
    CHECK(cudaMemcpy(out, all.data(), bytes, cudaMemcpyHostToDevice));

    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int launch = 0; launch < 4; launch++) {
        nothing<<<1, 1, 0, stream>>>();
    }
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int launch = 0; launch < batches * rounds; launch++) {
        CHECK(cudaGraphLaunch(exec, stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
}

int main() {
    const int BATCHES = 3, ALL = BATCHES * COUNT;
    unsigned *in, *x, *out, host[ALL];
    CHECK(cudaMalloc(&in, sizeof(host)));
    CHECK(cudaMalloc(&x, COUNT * sizeof(unsigned)));
    CHECK(cudaMalloc(&out, sizeof(host)));
    for (int i = 0; i < ALL; i++) {
        host[i] = i;
    }
    CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
    run_batches(in, x, out, BATCHES, 500);
    CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    printf("%u %u %u\n", host[0], host[COUNT], host[2 * COUNT]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(x));
    CHECK(cudaFree(out));
}
