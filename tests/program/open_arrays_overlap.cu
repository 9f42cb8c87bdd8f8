// Two arrays whose size the launch gives are the same memory: what is stored to one is in the other.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void sum_of_both(int *out, const int *in, int n) {
    extern __shared__ int values[];
    extern __shared__ int doubled[];
    int t = threadIdx.x;
    values[t] = in[t];
    doubled[t] = 2 * in[t];
    __syncthreads();
    out[t] = values[t] + doubled[t];
}

__global__ void turned(float *out, int n) {
    extern __shared__ float squares[];
    extern __shared__ int numbers[];
    int t = threadIdx.x;
    squares[t] = t * t; //~ R001
    numbers[n - 1 - t] = t;
    __syncthreads();
    out[t] = squares[t] + numbers[t];
}

__global__ void cut(int *out, const int *in, int n) {
    extern __shared__ int values[];
    int *doubled = values + n;
    int t = threadIdx.x;
    values[t] = in[t];
    doubled[t] = 2 * in[t];
    __syncthreads();
    out[t] = values[t] + doubled[t];
}

int main() {
    const int n = 64, bytes = n * sizeof(int);
    int *in, *out;
    float *floats;
    cudaMallocManaged(&in, bytes);
    cudaMallocManaged(&out, bytes);
    cudaMalloc(&floats, bytes);
    for (int i = 0; i < n; i++) in[i] = i;
    sum_of_both<<<1, n, 2 * bytes>>>(out, in, n);
    cudaDeviceSynchronize();
    printf("%d\n", out[5]);
    turned<<<1, n, 2 * bytes>>>(floats, n);
    cut<<<1, n, 2 * bytes>>>(out, in, n);
    cudaDeviceSynchronize();
    printf("%d\n", out[5]);
    cudaFree(in);
    cudaFree(out);
    cudaFree(floats);
}
