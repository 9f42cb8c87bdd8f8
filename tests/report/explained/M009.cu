__global__ void kernel(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] + 1;
}
int main() {
    const int n = 100, blocks = 1, threads = 128;
    float h[n] = {};
#ifdef FIXED
    float *d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
    kernel<<<blocks, threads>>>(d, n);
    cudaDeviceSynchronize();
    cudaFree(d);
#else
    kernel<<<blocks, threads>>>(h, n);
    cudaDeviceSynchronize();
#endif
}
