#include <cstdio>
int main() {
    const size_t bytes = 64 * sizeof(float);
    float *h, *d;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocHost(&h, bytes);
    cudaMalloc(&d, bytes);
    cudaMemset(d, 0, bytes);
    cudaDeviceSynchronize();
    cudaMemcpyAsync(h, d, bytes, cudaMemcpyDeviceToHost, stream);
#ifdef FIXED
    cudaStreamSynchronize(stream);
#endif
    printf("%f\n", h[0]);
    cudaStreamSynchronize(stream);
    cudaFree(d);
    cudaFreeHost(h);
    cudaStreamDestroy(stream);
}
