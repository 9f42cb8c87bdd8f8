// The pointer's own address is passed where the memory's is meant.
int main() {
    float h = 0, *d;
    cudaMalloc(&d, 4);
    cudaMemset(d, 0, 4);
    cudaMemcpy(&h, &d, 4, cudaMemcpyDeviceToHost);
    cudaFree(d);
}
