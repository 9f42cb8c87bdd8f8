// One buffer is passed for two parameters that may lead to the same memory.
#include <cstdio>

__global__ void running_sums(const int *in, int *out, int n) {
    int i = threadIdx.x;
    for (int step = 1; step < n; step *= 2) {
        int sum = in[i] + (i >= step ? in[i - step] : 0);
        __syncthreads();
        out[i] = sum;
        __syncthreads();
    }
}

int main() {
    const int n = 64;
    int h_x[n], *d_x;
    for (int i = 0; i < n; i++) h_x[i] = 1;
    cudaMalloc(&d_x, sizeof(h_x));
    cudaMemcpy(d_x, h_x, sizeof(h_x), cudaMemcpyHostToDevice);
    running_sums<<<1, n>>>(d_x, d_x, n);
    cudaMemcpy(h_x, d_x, sizeof(h_x), cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", h_x[0], h_x[1], h_x[n - 1]);
    cudaFree(d_x);
}
