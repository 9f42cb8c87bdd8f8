__global__ void turn(const int *in, int *out, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    s[i] = 0;
    __syncthreads();
#ifdef FIXED
    if (i < n) s[threadIdx.x] = in[i];
    __syncthreads();
#else
    if (i < n) {
        s[threadIdx.x] = in[i];
        __syncthreads();
    }
#endif
    if (i < n) out[i] = s[n - 1 - i];
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 50 * sizeof(int));
    cudaMalloc(&out, 50 * sizeof(int));
    cudaMemset(in, 0, 50 * sizeof(int));
    turn<<<1, 64>>>(in, out, 50);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
