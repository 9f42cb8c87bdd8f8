// as: h100
// Two thousand tiny kernels, each launched by itself, then replayed as a graph captured once, on an H100
// and the faster host that goes with it.
#include <chrono>
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void step(float *x) { x[threadIdx.x] = x[threadIdx.x] * 0.5f + 1.0f; }

double microseconds(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

int main() {
    const int launches = 2000, per_graph = 20;
    float *x, last;
    CHECK(cudaMalloc(&x, 32 * sizeof(float)));
    CHECK(cudaMemset(x, 0, 32 * sizeof(float)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    step<<<1, 32, 0, stream>>>(x);
    CHECK(cudaDeviceSynchronize());

    auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < launches; k++) step<<<1, 32, 0, stream>>>(x);
    CHECK(cudaStreamSynchronize(stream));
    double single = microseconds(start) / launches;

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int k = 0; k < per_graph; k++) step<<<1, 32, 0, stream>>>(x);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    start = std::chrono::steady_clock::now();
    for (int k = 0; k < launches / per_graph; k++) CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    double replayed = microseconds(start) / launches;

    CHECK(cudaMemcpy(&last, x, sizeof last, cudaMemcpyDeviceToHost));
    double ratio = single / replayed;
    printf("value: %g\n", last);
    printf("a launch takes between 1.5 and 4 us: %s\n", single > 1.5 && single < 4 ? "yes" : "no");
    printf("graph: %.1fx, between 2 and 6: %s\n", ratio, ratio > 2 && ratio < 6 ? "yes" : "no");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
}
