// The wait follows the launch of the graph.
#include <cstdio>

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }

int main() {
    int *d, h;
    cudaMalloc(&d, 32 * sizeof(int));
    cudaMemset(d, 0, 32 * sizeof(int));
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    add<<<1, 32, 0, s>>>(d, 1);
    cudaStreamEndCapture(s, &g);
    cudaGraphExec_t x;
    if (cudaGraphInstantiate(&x, g, 0) != cudaSuccess) return 1;
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
    cudaMemcpy(&h, d, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
    cudaStreamDestroy(s);
    cudaFree(d);
    return 0;
}
