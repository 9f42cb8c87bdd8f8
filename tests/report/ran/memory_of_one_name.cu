// Three allocations are called d[i]: a copy of unwritten memory to one is none to another.
#include <cstdlib>

__global__ void count(const float *in, float *counts) {
    atomicAdd(&counts[threadIdx.x % 4], in[threadIdx.x]);
}

int main() {
    float *h[2], *d[3];
    for (int i = 0; i < 3; i++) cudaMalloc(&d[i], 32 * sizeof(float));
    for (int i = 0; i < 2; i++) h[i] = (float *)malloc(32 * sizeof(float));
    for (int i = 0; i < 32; i++) h[0][i] = i;
    for (int i = 0; i < 2; i++) cudaMemcpy(d[i], h[i], 32 * sizeof(float), cudaMemcpyHostToDevice);
    count<<<1, 32>>>(d[0], d[2]);
    cudaDeviceSynchronize();
    for (int i = 0; i < 3; i++) cudaFree(d[i]);
    for (int i = 0; i < 2; i++) free(h[i]);
}
