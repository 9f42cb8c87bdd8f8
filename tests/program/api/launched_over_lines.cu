// Launches whose names stand on one line, and what is in <<<>>> or the arguments on others.
#include <cstdio>
#include <cuda_runtime.h>

template <class T>
__global__ void scale(T *x, int n) {
    if (threadIdx.x < n) x[threadIdx.x] *= 2;
}

int main() {
    float *d_x;
    cudaMalloc(&d_x, 32 * sizeof(float));
    cudaMemset(d_x, 0, 32 * sizeof(float));
    scale<float> //~ A012
        <<<1, 0>>>(d_x, 32);
    printf("%d\n", cudaGetLastError());
    scale<float> //~ A012
        <<<1,
           0>>>(d_x,
                32);
    printf("%d\n", cudaGetLastError());
    scale<float> <<<1, 0>>>( //~ A012
        d_x, 32);
    printf("%d\n", cudaGetLastError());
    cudaFree(d_x);
}
