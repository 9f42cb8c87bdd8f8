__global__ void halves(int *x) {
    int t = threadIdx.x, v = x[t];
    if (t < 16) {
        v += __shfl_xor_sync(0xffff, v, 16);
        x[t] = v;
    }
}

int main() {
    int *x;
    cudaMalloc(&x, 32 * sizeof(int));
    cudaMemset(x, 0, 32 * sizeof(int));
    halves<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    cudaFree(x);
}
