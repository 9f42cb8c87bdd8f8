int main() {
    const size_t bytes = 64 * sizeof(float);
    float x[64] = {}, *d_x;
    cudaMalloc(&d_x, bytes);
#ifdef FIXED
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(x, d_x, bytes, cudaMemcpyDeviceToHost);
#else
    cudaMemcpy(x, d_x, bytes, cudaMemcpyHostToDevice);
#endif
    cudaFree(d_x);
}
