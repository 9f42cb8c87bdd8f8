__global__ void sums(const float *in, float *out) {
#ifdef FIXED
    int i = 4 * threadIdx.x;
#else
    int i = threadIdx.x;
#endif
    float4 v = *(const float4 *)(in + i);
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof(float));
    cudaMalloc(&out, 16 * sizeof(float));
    cudaMemset(in, 0, 64 * sizeof(float));
    sums<<<1, 16>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
