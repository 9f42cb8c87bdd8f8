// The atomic variable tells of the copy before the host function, and not of the one behind it.
#include <atomic>
#include <cstdio>
#include <cuda_runtime.h>

std::atomic<int> ready{0};

static void done(void *) { ready.store(1, std::memory_order_release); }

int main() {
    cudaStream_t s;
    cudaStreamCreate(&s);
    int *d, *h;
    cudaMalloc(&d, 128);
    cudaMallocHost(&h, 128);
    cudaMemsetAsync(d, 0, 128, s);
    cudaLaunchHostFunc(s, done, nullptr);
    cudaMemcpyAsync(h, d, 128, cudaMemcpyDeviceToHost, s);
    while (!ready.load(std::memory_order_acquire)) {
    }
    printf("%d\n", h[3]); //~ O001
    cudaStreamDestroy(s);
    cudaFree(d);
    cudaFreeHost(h);
}
