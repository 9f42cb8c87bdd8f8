// An event is recorded that no call has made.
#include <cstdio>

__global__ void work(int *x) {
    *x = 1;
}

int main() {
    int *d_x;
    cudaEvent_t done = nullptr;
    cudaMalloc(&d_x, sizeof(int));
    work<<<1, 1>>>(d_x);
    cudaEventRecord(done); //~ A010
    cudaDeviceSynchronize();
    cudaFree(d_x);
}
