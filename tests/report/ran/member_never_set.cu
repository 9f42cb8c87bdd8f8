#include <cstdio>

struct Model {
    float scale, shift;
    Model() { scale = 2; }
};

__global__ void apply(Model m, float *y) {
    y[threadIdx.x] = threadIdx.x * m.scale + m.shift;
}

int main() {
    Model m;
    float *d, h[32];
    cudaMalloc(&d, sizeof h);
    apply<<<1, 32>>>(m, d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[1]);
    cudaFree(d);
}
