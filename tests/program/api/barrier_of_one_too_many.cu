// A barrier object that expects one thread more than there are: nobody gets past it.
#include <cstdio>
#include <cuda/barrier>

__global__ void turned(const int *a, int *y) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int values[64];
    int t = threadIdx.x;
    if (t == 0) init(&barrier, 65);
    __syncthreads();
    values[t] = a[t];
    barrier.arrive_and_wait(); //~ B002
    y[t] = values[63 - t];
}

int main() {
    int *a, *y;
    cudaMalloc(&a, 64 * sizeof(int));
    cudaMalloc(&y, 64 * sizeof(int));
    cudaMemset(a, 0, 64 * sizeof(int));
    turned<<<1, 64>>>(a, y);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(y);
    return 0;
}
