__global__ void kernel(int *x) { x[threadIdx.x] = 1; }
int main() {
    const int g = 1, b = 32;
    const size_t bytes = b * sizeof(int);
    int *d;
    cudaStream_t one, two;
    cudaEvent_t made;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaEventCreate(&made);
    cudaMallocAsync(&d, bytes, one);
#ifdef FIXED
    cudaEventRecord(made, one);
    cudaStreamWaitEvent(two, made);
#endif
    kernel<<<g, b, 0, two>>>(d);
    cudaDeviceSynchronize();
    cudaFree(d);
    cudaEventDestroy(made);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
}
