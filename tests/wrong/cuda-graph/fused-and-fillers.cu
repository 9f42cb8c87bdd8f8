// One kernel does all four steps; three others write where nobody reads, to be counted.

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
    unsigned v = x[threadIdx.x] * 1664525u;
    v ^= v >> 16;
    v += 1013904223u;
    x[threadIdx.x] = v << 13 | v >> 19;
}

__device__ unsigned spare[3][COUNT];

__global__ void fold(unsigned *x) {
    spare[0][threadIdx.x] = 1;
}

__global__ void add(unsigned *x) {
    spare[1][threadIdx.x] = 1;
}

__global__ void rotate(unsigned *x) {
    spare[2][threadIdx.x] = 1;
}

// When it returns, `out` is complete.
void run_batches(const unsigned *in, unsigned *x, unsigned *out, int batches, int rounds) { //~ too-much-work: global_reads
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

    for (int batch = 0; batch < batches; batch++) {
        // Outside the graph, as its address is different each time.
        CHECK(cudaMemcpyAsync(x, in + batch * COUNT, bytes, cudaMemcpyDeviceToDevice, stream));
        for (int round = 0; round < rounds; round++) {
            CHECK(cudaGraphLaunch(exec, stream));
        }
        CHECK(cudaMemcpyAsync(out + batch * COUNT, x, bytes, cudaMemcpyDeviceToDevice, stream));
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
