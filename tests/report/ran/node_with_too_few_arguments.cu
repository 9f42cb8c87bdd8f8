#include <cstdio>
#include <cstdlib>

#define CHECK(call) if (cudaError_t e = (call); e != cudaSuccess) exit(1)

__global__ void add(float *x, float v) {
    x[threadIdx.x] += v;
}

int main() {
    float *x;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    CHECK(cudaMalloc(&x, 32 * sizeof(float)));
    CHECK(cudaGraphCreate(&graph, 0));
    void *args[] = {&x};
    cudaKernelNodeParams params = {};
    params.func = (void *)add;
    params.gridDim = dim3(1);
    params.blockDim = dim3(32);
    params.kernelParams = args;
    CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(x));
}
