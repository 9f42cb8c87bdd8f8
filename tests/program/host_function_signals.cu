// A host function runs in the order of its stream, and tells the host by an atomic variable that it was reached; the work
// before it is done then. No call of CUDA is needed for the host to read the result.
#include <atomic>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void set(int *p, int value) { p[threadIdx.x] = value; }

std::atomic<int> ready{0};
std::atomic<int> done_count{0};

static void done(void *) { ready.store(1, std::memory_order_release); }
static void count(void *) { done_count.fetch_add(1); }

int main() {
    cudaStream_t s;
    cudaStreamCreate(&s);
    int *d, *h;
    cudaMalloc(&d, 128);
    cudaMallocHost(&h, 128);
    set<<<1, 32, 0, s>>>(d, 1);
    cudaMemcpyAsync(h, d, 128, cudaMemcpyDeviceToHost, s);
    cudaLaunchHostFunc(s, done, nullptr);
    while (!ready.load(std::memory_order_acquire)) {
    }
    printf("%d\n", h[3]);
    for (int i = 2; i < 4; ++i) {
        set<<<1, 32, 0, s>>>(d, i);
        cudaMemcpyAsync(h, d, 128, cudaMemcpyDeviceToHost, s);
        cudaLaunchHostFunc(s, count, nullptr);
        while (done_count < i - 1) {
        }
        printf("%d\n", h[3]);
    }
    cudaStreamDestroy(s);
    cudaFree(d);
    cudaFreeHost(h);
}
