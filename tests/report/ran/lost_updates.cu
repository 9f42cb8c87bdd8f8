__global__ void add_one(int *c) {
    *c = *c + 1;
}

__global__ void add_in_steps(int *c) {
    int t = *c;
    t = t + 1;
    *c = t;
}

__global__ void add_in_shared(int *c) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    sum = sum + *c;
    __syncthreads();
    if (threadIdx.x == 0) c[1] = sum;
}

int main() {
    int *c;
    cudaMalloc(&c, 2 * sizeof(int));
    cudaMemset(c, 0, 2 * sizeof(int));
    add_one<<<1, 64>>>(c);
    add_in_steps<<<1, 64>>>(c);
    add_in_shared<<<1, 64>>>(c);
    cudaDeviceSynchronize();
    cudaFree(c);
}
