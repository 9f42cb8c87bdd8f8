__global__ void gather(const int *order, const float *values, float *out, int n) {
    __shared__ int row[32];
    row[threadIdx.x] = order[threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k <= n; k++) {
        sum += values[row[k] * 32 + threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

int main() {
    int *order;
    float *values, *out;
    cudaMalloc(&order, 32 * sizeof(int));
    cudaMalloc(&values, 1024 * sizeof(float));
    cudaMalloc(&out, 32 * sizeof(float));
    cudaMemset(order, 0, 32 * sizeof(int));
    cudaMemset(values, 0, 1024 * sizeof(float));
    gather<<<1, 32>>>(order, values, out, 32);
    cudaDeviceSynchronize();
    cudaFree(order);
    cudaFree(values);
    cudaFree(out);
}
