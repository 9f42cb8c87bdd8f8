__device__ int ticket, serving, total;

__global__ void add() {
    if (threadIdx.x == 0) {
        int mine = atomicAdd(&ticket, 1);
        while (atomicAdd(&serving, 0) != mine) {
        }
        total += blockIdx.x;
        atomicAdd(&serving, 1);
    }
}

int main() {
    add<<<16, 32>>>();
    cudaDeviceSynchronize();
}
