// Four ways to sum: atomics, a tree in shared memory, shuffles, and a grid-stride loop with both.
#include <stdio.h>
#include <numeric>
#include <vector>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

const int BLOCK = 256;

__global__ void by_atomics(const int *in, int *out, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) atomicAdd(out, in[i]);
}

__global__ void by_tree(const int *in, int *out, int n) {
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    s[t] = 0;
    for (int i = t + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) s[t] += in[i];
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        __syncthreads();
        if (t < half) s[t] += s[t + half];
    }
    if (t == 0) atomicAdd(out, s[0]);
}

__inline__ __device__ int warp_sum(int v) {
    for (int offset = warpSize / 2; offset > 0; offset >>= 1) v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

__global__ void by_shuffles(const int *in, int *out, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int v = i < n ? in[i] : 0;
    v = warp_sum(v);
    if ((threadIdx.x & (warpSize - 1)) == 0) atomicAdd(out, v);
}

__global__ void by_both(const int *in, int *out, int n) {
    __shared__ int s[32];
    int v = 0;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) v += in[i];
    v = warp_sum(v);
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    if (lane == 0) s[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < blockDim.x / warpSize ? s[lane] : 0;
        v = warp_sum(v);
        if (lane == 0) atomicAdd(out, v);
    }
}

int main() {
    const int n = 100003;
    std::vector<int> in(n);
    for (int i = 0; i < n; i++) in[i] = i % 17 - 8;
    int want = std::accumulate(in.begin(), in.end(), 0);
    int *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, sizeof(int)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    typedef void (*kernel_t)(const int *, int *, int);
    struct { const char *name; kernel_t kernel; int blocks; } ways[] = {
        {"atomics", by_atomics, (n + BLOCK - 1) / BLOCK},
        {"tree", by_tree, 64},
        {"shuffles", by_shuffles, (n + BLOCK - 1) / BLOCK},
        {"both", by_both, 32},
    };
    for (auto &way : ways) {
        CHECK(cudaMemset(d_out, 0, sizeof(int)));
        way.kernel<<<way.blocks, BLOCK>>>(d_in, d_out, n);
        CHECK(cudaGetLastError());
        int got;
        CHECK(cudaMemcpy(&got, d_out, sizeof(int), cudaMemcpyDeviceToHost));
        printf("%-8s %d %s\n", way.name, got, got == want ? "ok" : "WRONG");
    }
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
