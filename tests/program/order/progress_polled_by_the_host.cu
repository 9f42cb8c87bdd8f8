// The host looks how far a kernel is, and takes the result behind a copy that waits.
#include <cstdio>

__global__ void work(volatile int *progress, int *out) {
    int v = 0;
    for (int i = 0; i < 1000; i++) {
        v = v * 3 + i;
        if (i % 100 == 99) *progress = i + 1;
    }
    *out = v;
}

int main() {
    volatile int *progress;
    int *out, result, looks = 0;
    cudaHostAlloc((void **)&progress, sizeof(int), cudaHostAllocMapped);
    *progress = 0;
    cudaMalloc(&out, sizeof(int));
    work<<<1, 1>>>(progress, out);
    for (int seen = 0; seen < 1000; looks++) seen = *progress;
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    unsigned want = 0;
    for (unsigned i = 0; i < 1000; i++) want = want * 3 + i;
    printf("%d %d\n", result == (int)want, looks > 0);
    cudaFree(out);
    cudaFreeHost((void *)progress);
    return 0;
}
