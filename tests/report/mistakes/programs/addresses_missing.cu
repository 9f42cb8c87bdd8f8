int main() {
    cudaStream_t stream;
    cudaEvent_t event;
    size_t unused, total;
    cudaStreamCreate(stream);
    cudaEventCreate(event);
    cudaMemGetInfo(unused, total);
}
