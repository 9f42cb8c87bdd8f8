// The thread waits for its default stream before another thread uses the result.
#include <cstdio>
#include <thread>

__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void add(const int *p, int *out) { out[threadIdx.x] = p[threadIdx.x] + 1; }

int main() {
    int *p, *out, h[32];
    if (cudaMalloc(&p, sizeof h) != cudaSuccess || cudaMalloc(&out, sizeof h) != cudaSuccess) return 1;
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    std::thread other([=] {
        fill<<<1, 32, 0, cudaStreamPerThread>>>(p);
        if (cudaStreamSynchronize(cudaStreamPerThread) != cudaSuccess) printf("failed\n");
    });
    other.join();
    add<<<1, 32, 0, cudaStreamPerThread>>>(p, out);
    if (cudaStreamSynchronize(cudaStreamPerThread) != cudaSuccess) return 3;
    if (cudaDeviceSynchronize() != cudaSuccess) return 4;
    if (cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess) return 5;
    printf("%d\n", h[5]);
    return cudaFree(p) != cudaSuccess || cudaFree(out) != cudaSuccess;
}
