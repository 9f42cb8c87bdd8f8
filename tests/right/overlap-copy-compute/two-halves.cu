// Two chunks, each in a stream of its own.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// Newton's method, in double: a T4 has few units for that, so it takes about as long
// as a copy.
__global__ void solve(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double a = in[i], x = a;
        for (int step = 0; step < 10; step++) {
            x = x * (1.5 - 0.5 * a * x * x);
        }
        out[i] = x;
    }
}

// When it returns, `out` is complete.
void solve_all(const float *in, float *out, float *d_in, float *d_out, int n) {
    // More chunks overlap better, until their calls take longer than their
    // copies: each costs the host about 10 microseconds.
    const int CHUNKS = 2, STREAMS = 2;
    int size = (n + CHUNKS - 1) / CHUNKS;

    cudaStream_t streams[STREAMS];
    for (cudaStream_t &stream : streams) {
        CHECK(cudaStreamCreate(&stream));
    }

    for (int first = 0, c = 0; first < n; first += size, c++) {
        int count = std::min(size, n - first); // the last one may be shorter
        size_t bytes = count * sizeof(float);
        // The steps of a chunk are in order, in one stream.
        cudaStream_t stream = streams[c % STREAMS];
        CHECK(cudaMemcpyAsync(d_in + first, in + first, bytes, cudaMemcpyHostToDevice, stream));
        solve<<<(count + 255) / 256, 256, 0, stream>>>(d_in + first, d_out + first, count);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(out + first, d_out + first, bytes, cudaMemcpyDeviceToHost, stream));
    }

    // So far, the last copies are only queued.
    CHECK(cudaDeviceSynchronize());
    for (cudaStream_t stream : streams) {
        CHECK(cudaStreamDestroy(stream));
    }
}

int main() {
    const int N = 1 << 18, BYTES = N * sizeof(float);
    float *in, *out, *d_in, *d_out;
    CHECK(cudaMallocHost(&in, BYTES));
    CHECK(cudaMallocHost(&out, BYTES));
    CHECK(cudaMalloc(&d_in, BYTES));
    CHECK(cudaMalloc(&d_out, BYTES));
    for (int i = 0; i < N; i++) {
        in[i] = i % 2 ? 1 : 0.64f;
    }
    solve_all(in, out, d_in, d_out, N); // loads the kernel
    solve_all(in, out, d_in, d_out, N);
    printf("%g %g\n", out[0], out[N - 1]); // 1.25 1
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
}
