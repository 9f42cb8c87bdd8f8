// A graph by capture, replayed on new input, with a fork and a join.
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void scale(float *x, float f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

__global__ void join(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] - b[i];
}

int main() {
    const int n = 1000, bytes = n * sizeof(float);
    float *h, *a, *b, *c;
    CHECK(cudaMallocHost(&h, bytes));
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMalloc(&c, bytes));
    cudaStream_t s, t;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    cudaEvent_t fork, done;
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&done));

    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(a, h, bytes, cudaMemcpyHostToDevice, s));
    CHECK(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, s));
    CHECK(cudaEventRecord(fork, s));
    CHECK(cudaStreamWaitEvent(t, fork, 0));
    scale<<<4, 256, 0, s>>>(a, 3.0f, n);
    scale<<<4, 256, 0, t>>>(b, 2.0f, n);
    CHECK(cudaEventRecord(done, t));
    CHECK(cudaStreamWaitEvent(s, done, 0));
    join<<<4, 256, 0, s>>>(a, b, c, n);
    CHECK(cudaMemcpyAsync(h, c, bytes, cudaMemcpyDeviceToHost, s));
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamIsCapturing(s, &status));
    printf("capturing: %d\n", status == cudaStreamCaptureStatusActive);
    CHECK(cudaStreamEndCapture(s, &graph));
    size_t nodes = 0, edges = 0;
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
    printf("%zu nodes\n", nodes);
    (void)edges;

    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int run = 1; run <= 3; run++) {
        for (int i = 0; i < n; i++) h[i] = i * run;
        CHECK(cudaGraphLaunch(exec, s));
        CHECK(cudaStreamSynchronize(s));
        int wrong = 0;
        for (int i = 0; i < n; i++) wrong += h[i] != (float)(i * run);
        printf("run %d: h[10] = %g, %d wrong\n", run, h[10], wrong);
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(s));
    CHECK(cudaStreamDestroy(t));
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFreeHost(h);
}
