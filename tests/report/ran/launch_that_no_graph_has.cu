// Stream `b` has not joined the capture: its kernel runs at once, next to the graph's.
__global__ void fill(int *x, int v) { x[threadIdx.x] = v; }

int main() {
    int *x;
    cudaStream_t a, b;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaMalloc(&x, 32 * sizeof(int));
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, a>>>(x, 1);
    fill<<<1, 32, 0, b>>>(x, 2);
    cudaStreamEndCapture(a, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, a);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaFree(x);
}
