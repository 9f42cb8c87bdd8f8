__global__ void shift(int *x) {
    int v = x[threadIdx.x];
    x[threadIdx.x] = __shfl_down_sync(0xffffffff, v, 1);
}

int main() {
    int *x;
    cudaMalloc(&x, 8 * sizeof(int));
    cudaMemset(x, 0, 8 * sizeof(int));
    shift<<<1, 8>>>(x);
    cudaDeviceSynchronize();
    cudaFree(x);
}
