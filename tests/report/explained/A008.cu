int main() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
#ifdef FIXED
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
#else
    cudaStreamDestroy(stream);
    cudaStreamSynchronize(stream);
#endif
}
