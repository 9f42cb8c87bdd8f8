int main() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
#ifdef MENDED
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
#else
    cudaStreamDestroy(stream);
    cudaStreamSynchronize(stream);
#endif
}
