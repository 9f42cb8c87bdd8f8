// The kernel waits for the free, which is what is wrong.
__global__ void fill(int *x) { x[threadIdx.x] = 1; }

int main() {
    int *x;
    cudaMallocAsync(&x, 32 * sizeof(int), 0);
    cudaFreeAsync(x, 0);
    fill<<<1, 32>>>(x);
    cudaDeviceSynchronize();
}
