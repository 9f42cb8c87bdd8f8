// The clock of the race detector begins anew after two million barriers: a block that wrote before is then not named,
// on any number of threads of the host, and in machine code too.
#include <cstdio>
#include <cuda_runtime.h>

const int BLOCKS = 9000, BARRIERS = 250;

__global__ void rounds(int *out) {
    __shared__ int values[32];
    int t = threadIdx.x, v = t;
    for (int round = 0; round < BARRIERS; round++) {
        values[t] = v + round;
        __syncthreads();
        v = values[t];
    }
    int block = blockIdx.x < BLOCKS - 1 ? blockIdx.x : 5;
    out[block * 32 + t] = v + blockIdx.x; //~ R002
}

int main() {
    int *out, host[32];
    cudaMalloc(&out, BLOCKS * 32 * sizeof(int));
    rounds<<<BLOCKS, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[7]);
    cudaFree(out);
}
