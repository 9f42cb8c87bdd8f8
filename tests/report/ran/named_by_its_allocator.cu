float *allocate(int n) {
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    return x;
}

__global__ void add(const float *left, const float *right, float *sum) {
    sum[threadIdx.x] = left[threadIdx.x] + right[threadIdx.x];
}

int main() {
    float *a = allocate(32), *b = allocate(32), *c = allocate(32);
    cudaMemset(b, 0, 32 * sizeof(float));
    add<<<1, 32>>>(a, b, c);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}
