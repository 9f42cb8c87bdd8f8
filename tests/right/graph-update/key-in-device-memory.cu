// The kernel reads the key from device memory, where each batch puts its own: the graph stays as it is.
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

const int COUNT = 5;

__global__ void encrypt(unsigned *x, const unsigned *key) {
    x[threadIdx.x] = (x[threadIdx.x] ^ *key) * 1664525u;
}

__global__ void turn(unsigned *x) {
    unsigned v = x[threadIdx.x] + 1013904223u;
    x[threadIdx.x] = v << 13 | v >> 19;
}

// Puts the kernels of one batch into the stream, to be captured.
void record(cudaStream_t stream, unsigned *x, const unsigned *key) {
    encrypt<<<1, COUNT, 0, stream>>>(x, key);
    CHECK(cudaGetLastError());
    for (int round = 0; round < 7; round++) {
        turn<<<1, COUNT, 0, stream>>>(x);
        CHECK(cudaGetLastError());
    }
}

// When it returns, `out` is complete.
void run_batches(const unsigned *in, const unsigned *keys, unsigned *x, unsigned *out,
                 int batches) {
    const size_t bytes = COUNT * sizeof(unsigned);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    unsigned *d_keys, *d_key; // all keys, and behind them the one that the graph reads
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&d_keys, (batches + 1) * sizeof(unsigned)));
    CHECK(cudaMemcpy(d_keys, keys, batches * sizeof(unsigned), cudaMemcpyHostToDevice));
    d_key = d_keys + batches;

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    record(stream, x, d_key);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));

    for (int batch = 0; batch < batches; batch++) {
        CHECK(cudaMemcpyAsync(d_key, d_keys + batch, sizeof(unsigned),
                              cudaMemcpyDeviceToDevice, stream));
        CHECK(cudaMemcpyAsync(x, in + batch * COUNT, bytes, cudaMemcpyDeviceToDevice, stream));
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaMemcpyAsync(out + batch * COUNT, x, bytes, cudaMemcpyDeviceToDevice, stream));
    }

    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(d_keys));
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
