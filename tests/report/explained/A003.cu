int main() {
    float x[256];
    float *d_x;
    cudaMalloc(&d_x, sizeof x);
#ifdef FIXED
    cudaMemset(d_x, 0, sizeof x);
#else
    cudaMemset(x, 0, sizeof x);
#endif
    cudaFree(d_x);
}
