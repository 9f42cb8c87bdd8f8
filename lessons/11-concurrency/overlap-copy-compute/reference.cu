// What solve_all() should do, on the GPU in one piece.
__global__ void all(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 1 / sqrt((double)in[i]);
    }
}

void solve_all(const float *in, float *out, float *d_in, float *d_out, int n) {
    cudaMemcpy(d_in, in, n * sizeof(float), cudaMemcpyHostToDevice);
    all<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
    cudaGetLastError();
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
}
