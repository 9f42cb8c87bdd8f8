// Dynamic shared memory of several arrays, and more than 48 KB of it by opting in.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void split(const int *in, int *out, int n) {
    extern __shared__ int buffer[];
    int *evens = buffer, *odds = buffer + n;
    __shared__ int counts[2];
    if (threadIdx.x < 2) counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int parity = in[i] & 1;
        int at = atomicAdd(&counts[parity], 1);
        (parity ? odds : evens)[at] = in[i];
    }
    __syncthreads();
    int sum = 0;
    for (int i = threadIdx.x; i < counts[0]; i += blockDim.x) sum += evens[i];
    for (int i = threadIdx.x; i < counts[1]; i += blockDim.x) sum -= odds[i];
    atomicAdd(out, sum);
    if (threadIdx.x == 0) out[1] = counts[0];
}

int main() {
    const int n = 7000;
    int *in, *out, h[n];
    for (int i = 0; i < n; i++) h[i] = (i * 31) % 1009;
    CHECK(cudaMalloc(&in, sizeof h));
    CHECK(cudaMalloc(&out, 2 * sizeof(int)));
    CHECK(cudaMemset(out, 0, 2 * sizeof(int)));
    CHECK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    size_t bytes = 2 * n * sizeof(int);
    split<<<1, 256, bytes>>>(in, out, n);
    printf("%zu bytes at once: %s\n", bytes, cudaGetErrorName(cudaGetLastError()));
    CHECK(cudaFuncSetAttribute(split, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    split<<<1, 256, bytes>>>(in, out, n);
    printf("after opting in: %s\n", cudaGetErrorName(cudaGetLastError()));
    int got[2], want[2] = {0, 0};
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int v : h) {
        want[0] += v & 1 ? -v : v;
        want[1] += !(v & 1);
    }
    printf("%d %d, wanted %d %d\n", got[0], got[1], want[0], want[1]);
    cudaFree(in);
    cudaFree(out);
}
