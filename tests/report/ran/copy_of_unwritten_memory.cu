int main() {
    float h[32], *from, *to;
    cudaMalloc(&from, sizeof h);
    cudaMalloc(&to, sizeof h);
    cudaMemcpy(to, from, sizeof h, cudaMemcpyDeviceToDevice);
    cudaMemcpy(h, to, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
}
