// Each GPU has room for the whole batch, of which it gets a quarter.
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

// Newton's method, in double: a T4 has few units for that, so it takes much longer
// than the copies.
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

// When it returns, `out` is complete.
void solve_all(const float *in, float *out, int n) { //~ too-much-work: peak_device_bytes
    int gpus;
    CHECK(cudaGetDeviceCount(&gpus));
    int part = (n + gpus - 1) / gpus;
    std::vector<Gpu> gpu = open_gpus(gpus, n);

    // All of this only queues work, so the next GPU gets its part microseconds later.
    for (int g = 0; g < gpus; g++) {
        int first = g * part;
        int count = std::min(part, n - first); // the last may have fewer, or none
        if (count <= 0) {
            break;
        }
        size_t bytes = count * sizeof(float);
        cudaStream_t stream = gpu[g].stream;
        CHECK(cudaSetDevice(g)); // a launch must be on the GPU of its stream
        CHECK(cudaMemcpyAsync(gpu[g].in, in + first, bytes, cudaMemcpyHostToDevice, stream));
        solve<<<(count + 255) / 256, 256, 0, stream>>>(gpu[g].in, gpu[g].out, count);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(out + first, gpu[g].out, bytes, cudaMemcpyDeviceToHost, stream));
    }

    // Only now wait for each of them.
    for (Gpu &its : gpu) {
        CHECK(cudaStreamSynchronize(its.stream));
    }
    close_gpus(gpu);
}

int main() {
    const int N = 1 << 17;
    float *in, *out;
    CHECK(cudaMallocHost(&in, N * sizeof(float)));
    CHECK(cudaMallocHost(&out, N * sizeof(float)));
    for (int i = 0; i < N; i++) {
        in[i] = i % 2 ? 1 : 0.64f;
    }
    solve_all(in, out, N);
    printf("%g %g\n", out[0], out[N - 1]); // 1.25 1
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
}
