__device__ unsigned arrived;
__device__ int parts[4], sum;

__global__ void last_sums() {
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x + 1;
        __threadfence_block();
        if (atomicAdd(&arrived, 1u) == gridDim.x - 1) {
            __threadfence_block();
            int total = 0;
            for (int k = 0; k < gridDim.x; k++) {
                total += parts[k];
            }
            sum = total;
        }
    }
}

int main() {
    last_sums<<<4, 32>>>();
    cudaDeviceSynchronize();
}
