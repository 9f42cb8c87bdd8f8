// The compiler loads neighbours in shared memory at once, with what lies between and behind them: a program reads only
// what it asks for.
#include <cstdio>

__global__ void three(float *out) {
    extern __shared__ float s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    float a = s[0], b = s[1], c = s[2];
    out[threadIdx.x] = a + b * c;
}

__global__ void around(float *out, int n) {
    extern __shared__ int t[];
    t[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) out[0] = t[0] + t[2];
    else if (threadIdx.x == 1) t[1] = n;
    __syncthreads();
    if (threadIdx.x == 0) out[1] = t[1];
}

int main() {
    float *out;
    cudaMallocManaged(&out, 3 * sizeof(float));
    three<<<1, 3, 3 * sizeof(float)>>>(out);
    cudaDeviceSynchronize();
    printf("%g\n", out[2]);
    around<<<1, 3, 3 * sizeof(int)>>>(out, 7);
    cudaDeviceSynchronize();
    printf("%g %g\n", out[0], out[1]);
    cudaFree(out);
    return 0;
}
