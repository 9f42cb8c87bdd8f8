int main() {
    cudaStream_t streams[4];
    for (int i = 0; i < 5; i++) {
        cudaStreamCreate(&streams[i]);
    }
    for (cudaStream_t stream : streams) {
        cudaStreamDestroy(stream);
    }
}
