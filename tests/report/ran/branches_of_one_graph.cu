// Two branches of one graph write the same memory.
__global__ void fill(int *x, int v) { x[threadIdx.x] = v; }

int main() {
    int *x;
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaMalloc(&x, 32 * sizeof(int));
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, a);
    cudaStreamWaitEvent(b, fork);
    fill<<<1, 32, 0, b>>>(x, 1);
    cudaEventRecord(join, b);
    fill<<<1, 32, 0, a>>>(x, 2);
    cudaStreamWaitEvent(a, join);
    cudaStreamEndCapture(a, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, a);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaFree(x);
}
