__device__ int lock, total, bins[4];

__device__ void acquire() {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
}

__global__ void count(const int *values) {
    bins[values[threadIdx.x] % 4]++;
}

__global__ void add() {
    if (threadIdx.x == 0) {
        acquire();
        total += bins[0];
        __threadfence();
        atomicExch(&lock, 0);
    }
}

int main() {
    int *values;
    cudaMalloc(&values, 64 * sizeof(int));
    cudaMemset(values, 0, 64 * sizeof(int));
    count<<<1, 64>>>(values);
    add<<<4, 32>>>();
    cudaDeviceSynchronize();
    cudaFree(values);
}
