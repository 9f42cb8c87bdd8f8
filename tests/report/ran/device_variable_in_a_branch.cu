// The run never reaches the line that names the device's variable; as compiled, the line holds only its first value.
#include <cstdio>
#include <cstdlib>

__device__ int factor = 5;

__global__ void scale(int *out) {
    out[threadIdx.x] = factor * threadIdx.x;
}

int main(int argc, char **argv) {
    int h[4], *d;
    cudaMalloc(&d, sizeof h);
    scale<<<1, 4>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    if (argc > 1) printf("factor %d\n", factor);
    cudaFree(d);
}
