#include <cstdlib>
int main() {
    const int n = 100;
    float *x = (float *)calloc(n, sizeof(float)), *d_x;
#ifdef FIXED
    size_t bytes = n * sizeof(float);
    cudaMalloc(&d_x, bytes);
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
#else
    cudaMalloc(&d_x, n);
    cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
#endif
    cudaFree(d_x);
    free(x);
}
