int main() {
    int *dIN;
    cudaStream_t stream;
    cudaMalloc(&dIn, 4);
    cudaStreamCreate(&stream);
    cudaStreamDestory(stream);
}
