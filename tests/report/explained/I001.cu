__global__ void sums(const float *in, float *out, int n) {
    __shared__ float s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    s[threadIdx.x] = i < n ? in[i] : 0;
#else
    if (i < n) s[threadIdx.x] = in[i];
#endif
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 64; k++)
        sum += s[k];
    out[threadIdx.x] = sum;
}
__global__ void add(const float *in, float *out, int n) {
    int i = threadIdx.x;
#ifdef FIXED
    if (i < n) out[i] = in[i];
#else
    if (i < n)
        out[i] += in[i];
#endif
}
int main() {
    float *in, *out, *more;
    cudaMalloc(&in, 50 * sizeof(float));
    cudaMalloc(&out, 64 * sizeof(float));
    cudaMalloc(&more, 64 * sizeof(float));
    cudaMemset(in, 0, 50 * sizeof(float));
    sums<<<1, 64>>>(in, out, 50);
    add<<<1, 64>>>(in, more, 50);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    cudaFree(more);
}
