int main() {
    const int n = 100;
    const size_t bytes = (n - 1) * sizeof(float);
    float *d_x, *d_tmp;
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMalloc(&d_tmp, bytes);
    cudaMemset(d_x, 0, n * sizeof(float));
#ifdef FIXED
    cudaMemcpy(d_tmp, d_x, bytes, cudaMemcpyDeviceToDevice);
    cudaMemcpy(d_x + 1, d_tmp, bytes, cudaMemcpyDeviceToDevice);
#else
    cudaMemcpy(d_x + 1, d_x, bytes, cudaMemcpyDeviceToDevice);
#endif
    cudaFree(d_tmp);
    cudaFree(d_x);
}
