// Memory in stream order, from a pool, and what the pool keeps.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void iota(int *x, int n, int start) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = start + i;
}

__global__ void sum(const int *a, const int *b, int *c, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i];
}

int main() {
    const int n = 1000;
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    int h[n];
    for (int round = 0; round < 3; round++) {
        int *a, *b, *c;
        CHECK(cudaMallocAsync(&a, n * sizeof(int), s));
        CHECK(cudaMallocAsync(&b, n * sizeof(int), s));
        iota<<<1, 128, 0, s>>>(a, n, round);
        iota<<<1, 128, 0, s>>>(b, n, 10 * round);
        CHECK(cudaMallocAsync(&c, n * sizeof(int), s));
        sum<<<1, 128, 0, s>>>(a, b, c, n);
        CHECK(cudaFreeAsync(a, s));
        CHECK(cudaFreeAsync(b, s));
        CHECK(cudaMemcpyAsync(h, c, n * sizeof(int), cudaMemcpyDeviceToHost, s));
        CHECK(cudaFreeAsync(c, s));
        CHECK(cudaStreamSynchronize(s));
        printf("round %d: %d %d\n", round, h[0], h[n - 1]);
    }
    cudaMemPool_t pool;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long threshold = 1, used = 1;
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    printf("threshold %llu, used %llu\n", threshold, used);
    threshold = 1 << 20;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    CHECK(cudaMemPoolTrimTo(pool, 0));
    unsigned long long reserved = 1;
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    printf("reserved after trimming: %llu\n", reserved);
    CHECK(cudaStreamDestroy(s));
}
