__device__ int a, b, x;

__device__ void take(int *lock) {
    while (atomicCAS(lock, 0, 1)) {
    }
    __threadfence();
}

__device__ void release(int *lock) {
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void both() {
    if (threadIdx.x) return;
    for (int i = 0; i < 20; i++) {
        if (blockIdx.x & 1) {
            take(&a);
            take(&b);
        } else {
            take(&b);
            take(&a);
        }
        x++;
        release(&a);
        release(&b);
    }
}

int main() {
    both<<<2, 32>>>();
    cudaDeviceSynchronize();
}
