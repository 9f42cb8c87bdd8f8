#include <cstdio>
#include <cstdlib>

#define CHECK(call) if (cudaError_t e = (call); e != cudaSuccess) exit(1)

__global__ void add(float *x, float v) {
    x[threadIdx.x] += v;
}

int main() {
    float *x, host[32];
    cudaStream_t stream;
    cudaGraph_t graph;
    CHECK(cudaMalloc(&x, sizeof(host)));
    CHECK(cudaMemset(x, 0, sizeof(host)));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 32, 0, stream>>>(x, 1.0f);
    CHECK(cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaFree(x));
}
