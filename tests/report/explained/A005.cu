int main() {
    const size_t bytes = 64 * sizeof(float);
#ifdef FIXED
    float *x;
    cudaMallocManaged(&x, bytes);
    x[0] = 1.0f;
    cudaFree(x);
#else
    float *d_x;
    cudaMalloc(&d_x, bytes);
    d_x[0] = 1.0f;
    cudaFree(d_x);
#endif
}
