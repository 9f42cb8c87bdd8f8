// The input is copied by a graph, too: one with a single node, whose address is changed for each batch.
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

// When it returns, `out` is complete.
void run_batches(const unsigned *in, unsigned *x, unsigned *out, int batches, int rounds) {
    const size_t bytes = COUNT * sizeof(unsigned);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    // Nothing runs here: what is put into the stream is only recorded. The kernels
    // work on whatever is in x, so one recording serves for all.
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    multiply<<<1, COUNT, 0, stream>>>(x);
    fold<<<1, COUNT, 0, stream>>>(x);
    add<<<1, COUNT, 0, stream>>>(x);
    rotate<<<1, COUNT, 0, stream>>>(x);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamEndCapture(stream, &graph));
    // One round: a longer graph would take longer to instantiate.
    CHECK(cudaGraphInstantiate(&exec, graph, 0));

    cudaGraph_t copy;
    cudaGraphNode_t node;
    cudaGraphExec_t copies;
    CHECK(cudaGraphCreate(&copy, 0));
    CHECK(cudaGraphAddMemcpyNode1D(&node, copy, nullptr, 0, x, in, bytes, cudaMemcpyDeviceToDevice));
    CHECK(cudaGraphInstantiate(&copies, copy, 0));
    for (int batch = 0; batch < batches; batch++) {
        CHECK(cudaGraphExecMemcpyNodeSetParams1D(copies, node, x, in + batch * COUNT, bytes, cudaMemcpyDeviceToDevice));
        CHECK(cudaGraphLaunch(copies, stream));
        for (int round = 0; round < rounds; round++) {
            CHECK(cudaGraphLaunch(exec, stream));
        }
        CHECK(cudaMemcpyAsync(out + batch * COUNT, x, bytes, cudaMemcpyDeviceToDevice, stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(copies));
    CHECK(cudaGraphDestroy(copy));

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
