__global__ void sums(const int *in, int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
#ifdef FIXED
    if (threadIdx.x == 0)
#endif
    out[blockIdx.x] = s[threadIdx.x];
}
__global__ void step(int *x, int n) {
    int i = threadIdx.x;
#ifndef FIXED
    if (i > 0 && i < n - 1)
        x[i] = x[i - 1] + x[i + 1];
#endif
}
__global__ void hand_on(int *out, int *ready, int *y) {
    int b = 0, sum = 7;
    if (blockIdx.x == 0) {
        out[b] = sum;
#ifdef FIXED
        __threadfence();
#endif
        atomicExch(&ready[b], 1);
    } else {
        while (atomicAdd(&ready[b], 0) == 0) ;
#ifdef FIXED
        __threadfence();
#endif
        float theirs = out[b];
        *y = theirs;
    }
}
__global__ void counted(volatile int *watched, int *count) {
#ifdef FIXED
    atomicAdd(count, 1);
#else
    volatile int *count_ = watched;
    { volatile int *count = count_; *count = *count + 1; }
#endif
}
int main() {
    int *in, *out, *y;
    cudaMalloc(&in, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMalloc(&y, 2 * sizeof(int));
    cudaMemset(in, 0, 64 * sizeof(int));
    cudaMemset(y, 0, 2 * sizeof(int));
    sums<<<2, 64>>>(in, out);
    step<<<1, 64>>>(in, 64);
    hand_on<<<2, 1>>>(out, y, y + 1);
    counted<<<2, 32>>>(y, y);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    cudaFree(y);
}
