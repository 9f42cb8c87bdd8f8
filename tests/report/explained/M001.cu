__global__ void first(const float *in, float *out, int n) {
    int i = threadIdx.x;
#ifdef FIXED
    if (i < n) out[i] = in[i];
#else
    out[i] = in[i];
#endif
}
__global__ void steps(const float *in, float *out, int n) {
    int i = threadIdx.x;
#ifdef FIXED
    if (i >= 1 && i < n) out[i] = in[i] - in[i - 1];
#else
    out[i] = in[i] - in[i - 1];
#endif
}
__global__ void all(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    if (i < n) out[i] = in[i];
#else
    out[i] = in[i];
#endif
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 50 * sizeof(float));
    cudaMalloc(&out, 50 * sizeof(float));
    cudaMemset(in, 0, 50 * sizeof(float));
    first<<<1, 64>>>(in, out, 50);
#ifdef FIXED
    steps<<<1, 64>>>(in, out, 50);
    all<<<2, 32>>>(in, out, 50);
#endif
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
