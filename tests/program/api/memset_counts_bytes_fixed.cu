// The memset clears all bytes.
#include <cstdio>

__global__ void add(float *v, int n) {
    int i = threadIdx.x;
    if (i < n) v[i] += 1;
}

int main() {
    const int n = 50;
    float *v, last;
    cudaMalloc(&v, n * sizeof(float));
    cudaMemset(v, 0, n * sizeof(float));
    add<<<1, 64>>>(v, n);
    cudaMemcpy(&last, v, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", last);
    cudaFree(v);
    return 0;
}
