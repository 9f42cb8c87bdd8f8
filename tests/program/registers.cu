// Registers a thread are those of the compiler's machine code, and occupancy follows from them.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void light(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

// Sixty-four values that are all in use at once.
template <int N>
__global__ void heavy(float *x) {
    float held[N];
#pragma unroll
    for (int i = 0; i < N; i++) held[i] = x[i * blockDim.x + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++) x[(N - 1 - i) * blockDim.x + threadIdx.x] = held[i] * held[(i + 7) % N];
}

template <int N>
__global__ void __launch_bounds__(1024, 2) bounded(float *x) {
    float held[N];
#pragma unroll
    for (int i = 0; i < N; i++) held[i] = x[i * blockDim.x + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++) x[(N - 1 - i) * blockDim.x + threadIdx.x] = held[i] * held[(i + 7) % N];
}

template <class Kernel>
int report(const char *name, Kernel kernel, int threads) {
    cudaFuncAttributes attributes;
    int blocks = 0;
    CHECK(cudaFuncGetAttributes(&attributes, kernel));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
    // A warp gets registers by 256, a multiprocessor has 65536.
    int of_warp = (attributes.numRegs * 32 + 255) / 256 * 256;
    int by_registers = 65536 / of_warp / (threads / 32), by_threads = 2048 / threads;
    int expected = by_registers < by_threads ? by_registers : by_threads;
    printf("%s: known: %s, occupancy as it follows: %s, limited by registers: %s\n", name,
           attributes.numRegs > 0 ? "yes" : "no", blocks == expected ? "yes" : "no",
           by_registers < by_threads ? "yes" : "no");
    return attributes.numRegs;
}

int main() {
    int few = report("light", light, 256), many = report("heavy", heavy<64>, 256);
    int held = report("bounded", bounded<64>, 1024);
    printf("heavy needs more than light: %s; two blocks of 1024 leave it 32: %s\n",
           many > few && many > 64 ? "yes" : "no", held <= 32 ? "yes" : "no");
    float *x;
    CHECK(cudaMalloc(&x, 64 * 1024 * sizeof(float)));
    CHECK(cudaMemset(x, 0, 64 * 1024 * sizeof(float)));
    heavy<64><<<1, 1024>>>(x);
    printf("heavy by 1024: %s\n", cudaGetErrorName(cudaGetLastError()));
    heavy<64><<<1, 256>>>(x);
    printf("heavy by 256: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    CHECK(cudaFree(x));
}
