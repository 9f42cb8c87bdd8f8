// devices: 2
int main() {
    const size_t bytes = 64 * sizeof(float);
    float *from, *to;
    cudaMalloc(&from, bytes);
    cudaMemset(from, 0, bytes);
    cudaSetDevice(1);
    cudaMalloc(&to, bytes);
#ifdef FIXED
    cudaMemcpyPeer(to, 1, from, 0, bytes);
#else
    cudaMemcpyPeer(to, 0, from, 1, bytes);
#endif
    cudaFree(to);
    cudaFree(from);
}
