__global__ void kernel(int *x) { x[threadIdx.x] = 1; }
int main() {
    const int g = 1, b = 32;
    int *d;
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaMallocAsync(&d, b * sizeof(int), one);
    cudaDeviceSynchronize();
    kernel<<<g, b, 0, one>>>(d);
#ifdef FIXED
    cudaFreeAsync(d, one);
#else
    cudaFreeAsync(d, two);
#endif
    cudaDeviceSynchronize();
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
}
