// All batches are in one graph, and each of its nodes takes time to instantiate.
// graph-update: the same kernels for each batch, but one of their arguments is a
// different number each time.
//
// in, out: `batches` rows of COUNT numbers; x: COUNT numbers, on which the kernels
// work. These are in device memory; keys, a number for each batch, are in host
// memory.

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

const int COUNT = 5;

__global__ void encrypt(unsigned *x, unsigned key) {
    x[threadIdx.x] = (x[threadIdx.x] ^ key) * 1664525u;
}

__global__ void turn(unsigned *x) {
    unsigned v = x[threadIdx.x] + 1013904223u;
    x[threadIdx.x] = v << 13 | v >> 19;
}

// Puts the kernels of one batch into the stream, to be captured.
void record(cudaStream_t stream, unsigned *x, unsigned key) {
    encrypt<<<1, COUNT, 0, stream>>>(x, key);
    CHECK(cudaGetLastError());
    for (int round = 0; round < 7; round++) {
        turn<<<1, COUNT, 0, stream>>>(x);
        CHECK(cudaGetLastError());
    }
}

// When it returns, `out` is complete.
void run_batches(const unsigned *in, const unsigned *keys, unsigned *x, unsigned *out,
                 int batches) { //~ too-much-work: speedup_over_starter_percent
    const size_t bytes = COUNT * sizeof(unsigned);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&stream));

    // one graph for all batches, copies included
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int batch = 0; batch < batches; batch++) {
        CHECK(cudaMemcpyAsync(x, in + batch * COUNT, bytes, cudaMemcpyDeviceToDevice, stream));
        record(stream, x, keys[batch]);
        CHECK(cudaMemcpyAsync(out + batch * COUNT, x, bytes, cudaMemcpyDeviceToDevice, stream));
    }
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
}

int main() {
    const int BATCHES = 4, ALL = BATCHES * COUNT;
    unsigned *in, *x, *out, host[ALL], keys[BATCHES] = {7, 11, 13, 17};
    CHECK(cudaMalloc(&in, sizeof(host)));
    CHECK(cudaMalloc(&x, COUNT * sizeof(unsigned)));
    CHECK(cudaMalloc(&out, sizeof(host)));
    for (int i = 0; i < ALL; i++) {
        host[i] = i;
    }
    CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
    run_batches(in, keys, x, out, BATCHES);
    CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    printf("%u %u %u %u\n", host[0], host[COUNT], host[2 * COUNT], host[3 * COUNT]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(x));
    CHECK(cudaFree(out));
}
