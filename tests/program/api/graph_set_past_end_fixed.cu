// The fixed twin: as many elements as there are.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                   \
    do {                                                              \
        cudaError_t e_ = (call);                                      \
        if (e_ != cudaSuccess) {                                      \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                  \
        }                                                             \
    } while (0)

int main() {
    char *d_flags;
    CHECK(cudaMalloc(&d_flags, 16));
    cudaGraph_t graph;
    cudaGraphNode_t node;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaMemsetParams what = {};
    what.dst = d_flags;
    what.value = 7;
    what.elementSize = 4;
    what.width = 4;
    what.height = 1;
    CHECK(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &what));
    cudaGraphExec_t ready;
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    CHECK(cudaGraphLaunch(ready, 0));
    char back[16];
    CHECK(cudaMemcpy(back, d_flags, 16, cudaMemcpyDeviceToHost));
    printf("%d %d\n", back[0], back[15]);
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(d_flags));
    return 0;
}
