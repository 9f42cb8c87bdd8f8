// An event is made before it is recorded.
#include <cstdio>

__global__ void work(int *x) {
    *x = 1;
}

int main() {
    int *d_x;
    cudaEvent_t done = nullptr;
    cudaMalloc(&d_x, sizeof(int));
    cudaEventCreate(&done);
    work<<<1, 1>>>(d_x);
    cudaEventRecord(done);
    cudaDeviceSynchronize();
    cudaEventDestroy(done);
    cudaFree(d_x);
}
