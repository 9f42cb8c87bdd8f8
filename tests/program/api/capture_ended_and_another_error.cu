// A wait ends the capture; the error of another call is then the only one that the program asks for.
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
    cudaStreamSynchronize(s); //~ A010
    cudaStreamEndCapture(s, &g); //~ A010
    cudaGraphExec_t x;
    if (cudaGraphInstantiate(&x, g, 0) != cudaSuccess) cudaGetLastError();
    cudaMemcpy(&h, d, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    cudaStreamDestroy(s);
    cudaFree(d);
    return 0;
}
