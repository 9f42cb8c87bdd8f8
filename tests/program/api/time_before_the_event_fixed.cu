// The second event is waited for.
#include <cstdio>

__global__ void work(int *x, int n) {
    for (int k = 0; k < n; k++) x[0] = x[0] + k;
}

int main() {
    int *d_x;
    float ms = -1;
    cudaEvent_t start, stop;
    cudaMalloc(&d_x, sizeof(int));
    cudaMemset(d_x, 0, sizeof(int));
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    work<<<1, 1>>>(d_x, 1000);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&ms, start, stop);
    printf("%d\n", ms > 0);
    cudaDeviceSynchronize();
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaFree(d_x);
}
