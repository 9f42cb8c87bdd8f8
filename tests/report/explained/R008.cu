#include <cstdio>

__global__ void shift(float *x, float *out) {
    int i = threadIdx.x;
    float v = i;
    x[i] = v;
    __syncthreads();
#ifdef FIXED
    v = x[(i + 1) % 32];
#else
    v = __ldg(&x[(i + 1) % 32]);
#endif
    out[i] = v;
}

int main() {
    float *x, *out;
    cudaMalloc(&x, 32 * sizeof(float));
    cudaMalloc(&out, 32 * sizeof(float));
    shift<<<1, 32>>>(x, out);
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(out);
}
