static void fill(float *x, int k) { x[0] = k; }
int main() {
    const int n = 64, chunks = 3;
    const size_t bytes = n * sizeof(float);
    float *pinned, *d;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocHost(&pinned, bytes);
    cudaMalloc(&d, chunks * bytes);
    for (int i = 0; i < n; i++) pinned[i] = 0;
    for (int k = 0; k < chunks; k++) {
        fill(pinned, k);
        cudaMemcpyAsync(d + k * n, pinned, bytes, cudaMemcpyDefault, stream);
#ifdef FIXED
        cudaStreamSynchronize(stream);
#endif
    }
    cudaStreamSynchronize(stream);
    cudaFree(d);
    cudaFreeHost(pinned);
    cudaStreamDestroy(stream);
}
