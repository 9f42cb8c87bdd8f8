// data-parallel: out[i] = 1 / sqrt(in[i]), for a batch of n numbers, on all GPUs.
//
// in, out: n floats in pinned host memory.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// Newton's steps, in double, of which a T4 has few units: so it takes much
// longer than the copies.
__global__ void solve(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double a = in[i], x = a;
        for (int step = 0; step < 240; step++) {
            x = x * (1.5 - 0.5 * a * x * x);
        }
        out[i] = x;
    }
}

// What a GPU has: a stream, and room for `room` elements.
struct Gpu {
    cudaStream_t stream;
    float *in, *out;
};

std::vector<Gpu> open_gpus(int gpus, int room) {
    std::vector<Gpu> gpu(gpus);
    for (int g = 0; g < gpus; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaStreamCreate(&gpu[g].stream));
        CHECK(cudaMalloc(&gpu[g].in, room * sizeof(float)));
        CHECK(cudaMalloc(&gpu[g].out, room * sizeof(float)));
    }
    return gpu;
}

void close_gpus(std::vector<Gpu> &gpu) {
    for (size_t g = 0; g < gpu.size(); g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaFree(gpu[g].in));
        CHECK(cudaFree(gpu[g].out));
        CHECK(cudaStreamDestroy(gpu[g].stream));
    }
    CHECK(cudaSetDevice(0));
}

// When it returns, all of `out` is there.
void solve_all(const float *in, float *out, int n) { //~ too-much-work: busiest_gpu_percent
    int gpus;
    CHECK(cudaGetDeviceCount(&gpus));
    std::vector<Gpu> gpu = open_gpus(1, n);

    // GPU 0 does it all, and the others look on. Give each its part.
    CHECK(cudaSetDevice(0));
    cudaStream_t stream = gpu[0].stream;
    CHECK(cudaMemcpyAsync(gpu[0].in, in, n * sizeof(float), cudaMemcpyHostToDevice, stream));
    solve<<<(n + 255) / 256, 256, 0, stream>>>(gpu[0].in, gpu[0].out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(out, gpu[0].out, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));

    close_gpus(gpu);
}
