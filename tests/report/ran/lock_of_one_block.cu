__device__ int lock, total;

__global__ void add() {
    if (threadIdx.x == 0) {
        while (atomicCAS_block(&lock, 0, 1) != 0) {
        }
        __threadfence();
        total += blockIdx.x;
        __threadfence();
        atomicExch_block(&lock, 0);
    }
}

int main() {
    add<<<3, 32>>>();
    cudaDeviceSynchronize();
}
