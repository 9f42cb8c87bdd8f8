// A graph of explicit nodes: set, kernel, host function, copy; then other arguments for the kernel.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void fill(int *x, int value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += value + i;
}

int calls = 0;

void tell(void *data) {
    calls++;
    *(int *)data += 100;
}

int main() {
    const int n = 64;
    int *d, h[n], tag = 1;
    CHECK(cudaMalloc(&d, sizeof h));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));

    cudaGraphNode_t set_node, kernel_node, host_node, copy_node;
    cudaMemsetParams set = {};
    set.dst = d;
    set.value = 0;
    set.elementSize = 4;
    set.width = n;
    set.height = 1;
    CHECK(cudaGraphAddMemsetNode(&set_node, graph, nullptr, 0, &set));

    int value = 5, count = n;
    void *arguments[] = {&d, &value, &count};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)fill;
    kernel.gridDim = dim3(2);
    kernel.blockDim = dim3(32);
    kernel.sharedMemBytes = 0;
    kernel.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&kernel_node, graph, &set_node, 1, &kernel));

    cudaHostNodeParams host = {};
    host.fn = tell;
    host.userData = &tag;
    CHECK(cudaGraphAddHostNode(&host_node, graph, &kernel_node, 1, &host));
    CHECK(cudaGraphAddMemcpyNode1D(&copy_node, graph, &kernel_node, 1, h, d, sizeof h, cudaMemcpyDeviceToHost));

    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("h[0] = %d, h[63] = %d, %d calls, tag %d\n", h[0], h[63], calls, tag);

    value = -1;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, kernel_node, &kernel));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("h[0] = %d, h[63] = %d, %d calls, tag %d\n", h[0], h[63], calls, tag);
    size_t nodes;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    size_t roots;
    CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
    printf("%zu nodes, %zu roots\n", nodes, roots);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(d));
}
