// as: a100
// %globaltimer is one clock: a later kernel reads a later time.
#include <cstdio>

__global__ void stamp(long long *at, int n) {
    for (int k = 0; k < n; k++) {
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(at[k]));
        __nanosleep(1000);
    }
}

int main() {
    const int kernels = 4, looks = 8;
    long long *d_at, at[kernels * looks];
    cudaMalloc(&d_at, sizeof at);
    for (int k = 0; k < kernels; k++) stamp<<<1, 1>>>(d_at + k * looks, looks);
    cudaMemcpy(at, d_at, sizeof at, cudaMemcpyDeviceToHost);
    int back = 0;
    for (int k = 1; k < kernels * looks; k++) back += at[k] <= at[k - 1];
    printf("%d times back\n", back);
    cudaFree(d_at);
}
