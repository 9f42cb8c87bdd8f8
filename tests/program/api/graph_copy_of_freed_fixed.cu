// The fixed twin: the memory is freed after the graph's last launch.
#include <cstdio>

int main() {
    char *d_text, text[16] = "";
    cudaMalloc(&d_text, 16);
    cudaMemset(d_text, 'a', 15);
    cudaMemset(d_text + 15, 0, 1);
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, text, d_text, 16, cudaMemcpyDeviceToHost);
    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, 0);
    cudaError_t launched = cudaGraphLaunch(ready, 0);
    cudaDeviceSynchronize();
    printf("%s %s\n", cudaGetErrorName(launched), text);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaFree(d_text);
    return 0;
}
