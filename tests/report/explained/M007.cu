__global__ void fill(int *p) { p[threadIdx.x] = 1; }
int main() {
    int *p;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&p, 32 * sizeof(int));
#ifndef FIXED
    cudaFree(p);
#endif
    fill<<<1, 32, 0, stream>>>(p);
#ifdef FIXED
    cudaStreamSynchronize(stream);
    cudaFree(p);
    cudaStreamDestroy(stream);
#endif
}
