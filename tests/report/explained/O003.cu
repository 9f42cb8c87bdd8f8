__global__ void produce(int *x) { x[threadIdx.x] = threadIdx.x; }
__global__ void consume(int *x) { x[threadIdx.x] += 1; }
int main() {
    const int g = 1, b = 32;
    int *data;
    cudaStream_t one, two;
    cudaEvent_t ready;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaEventCreate(&ready);
    cudaMalloc(&data, b * sizeof(int));
    produce<<<g, b, 0, one>>>(data);
#ifdef FIXED
    cudaEventRecord(ready, one);
    cudaStreamWaitEvent(two, ready);
#endif
    consume<<<g, b, 0, two>>>(data);
    cudaDeviceSynchronize();
    cudaFree(data);
    cudaEventDestroy(ready);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
}
