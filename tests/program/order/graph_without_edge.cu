// Two nodes of a graph, of which the second needs the first, and no edge says so.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void add(int *x, int value) { x[threadIdx.x] += value; }
__global__ void multiply(int *x, int value) { x[threadIdx.x] *= value; }

int main() {
    int *x, host[32], three = 3, five = 5;
    CHECK(cudaMalloc(&x, sizeof host));
    CHECK(cudaMemset(x, 0, sizeof host));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    void *first[] = {&x, &three}, *second[] = {&x, &five};
    cudaKernelNodeParams adding = {}, multiplying = {};
    adding.func = (void *)add, multiplying.func = (void *)multiply;
    adding.gridDim = multiplying.gridDim = dim3(1);
    adding.blockDim = multiplying.blockDim = dim3(32);
    adding.kernelParams = first, multiplying.kernelParams = second;
    cudaGraphNode_t a, b;
    CHECK(cudaGraphAddKernelNode(&a, graph, nullptr, 0, &adding));
    CHECK(cudaGraphAddKernelNode(&b, graph, nullptr, 0, &multiplying)); //~ O003
    cudaGraphExec_t ready;
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    CHECK(cudaGraphLaunch(ready, 0));
    CHECK(cudaStreamSynchronize(0));
    CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d\n", host[31]);
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(x));
}
