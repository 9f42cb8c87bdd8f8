#include <cstdio>
__global__ void scale(float *x, int n) {
    int i = threadIdx.x;
    if (i < n) x[i] = 2;
}
int main() {
    const int n = 32, g = 1, b = 32;
    const size_t bytes = n * sizeof(float);
    float *x;
    cudaMallocManaged(&x, bytes);
    scale<<<g, b>>>(x, n);
#ifdef FIXED
    cudaDeviceSynchronize();
#endif
    printf("%f\n", x[0]);
    cudaDeviceSynchronize();
    cudaFree(x);
}
