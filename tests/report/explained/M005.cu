__global__ void copy(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float s[256];
    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[blockDim.x - 1 - threadIdx.x];
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 512 * sizeof(float));
    cudaMalloc(&out, 512 * sizeof(float));
    cudaMemset(in, 0, 512 * sizeof(float));
#ifdef FIXED
    copy<<<2, 256>>>(in, out);
#else
    copy<<<1, 512>>>(in, out);
#endif
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
