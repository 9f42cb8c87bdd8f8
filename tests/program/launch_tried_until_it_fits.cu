// The program looks for the largest block that the kernel can have: it tries, looks at the error, and
// takes half.
#include <cstdio>

__global__ void __launch_bounds__(512) count(int *out) {
    extern __shared__ int one[];
    one[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int k = 0; k < blockDim.x; k++) sum += one[k];
        *out = sum;
    }
}

int main() {
    int *out, h = 0, threads = 2048;
    cudaMalloc(&out, sizeof(int));
    for (; threads >= 32; threads /= 2) {
        count<<<1, threads, threads * sizeof(int)>>>(out);
        if (cudaGetLastError() == cudaSuccess) break;
    }
    cudaMemcpy(&h, out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d threads: %d\n", threads, h);

    void *arguments[] = {&out};
    cudaError_t error = cudaLaunchKernel((void *)count, dim3(1), dim3(1024), arguments, 4096, 0);
    if (error != cudaSuccess) error = cudaLaunchKernel((void *)count, dim3(1), dim3(256), arguments, 1024, 0);
    cudaMemcpy(&h, out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%s: %d\n", cudaGetErrorName(error), h);
    cudaFree(out);
}
