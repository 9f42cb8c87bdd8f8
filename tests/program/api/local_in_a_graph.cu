// A node of a graph keeps the address of an array that has ended when the graph is launched.
// exit: 1
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                   \
    do {                                                              \
        cudaError_t e_ = (call);                                      \
        if (e_ != cudaSuccess) {                                      \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                  \
        }                                                             \
    } while (0)

static cudaGraphExec_t build(int *d) {
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    int values[32];
    for (int i = 0; i < 32; i++) values[i] = i;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, d, values, sizeof values, cudaMemcpyHostToDevice));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

int main(void) {
    int *d, last;
    cudaStream_t stream;
    CHECK(cudaMalloc(&d, 32 * sizeof(int)));
    CHECK(cudaStreamCreate(&stream));
    cudaGraphExec_t exec = build(d);
    CHECK(cudaGraphLaunch(exec, stream)); //~ H006
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&last, d + 31, sizeof last, cudaMemcpyDeviceToHost));
    printf("last = %d\n", last);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(d));
}
