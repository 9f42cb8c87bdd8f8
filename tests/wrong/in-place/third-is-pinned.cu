// One array is in pinned host memory, where the kernels reach it over the bus.
// in-place: three steps over n numbers, with as little memory as possible.
//
// filter() is right, but has four arrays on the GPU at the same time.

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

__global__ void scale(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 3 * x[i];
    }
}

// The sum of an element and its two neighbours, where they exist.
__global__ void smooth(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float left = i > 0 ? x[i - 1] : 0;
        float right = i + 1 < n ? x[i + 1] : 0;
        y[i] = left + x[i] + right;
    }
}

// Nothing above 20.
__global__ void limit(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] > 20 ? 20 : x[i];
    }
}

void filter(const float *in, float *out, int n) { //~ too-much-work: host_bytes_written
    size_t bytes = n * sizeof(float);
    int threads = 256;
    int blocks = (n + threads - 1) / threads;
    float *d_x, *h_y;
    CHECK(cudaMalloc(&d_x, bytes));
    CHECK(cudaMallocHost(&h_y, bytes));

    CHECK(cudaMemcpy(d_x, in, bytes, cudaMemcpyHostToDevice));
    scale<<<blocks, threads>>>(d_x, h_y, n);
    CHECK(cudaGetLastError());
    smooth<<<blocks, threads>>>(h_y, d_x, n);
    CHECK(cudaGetLastError());
    limit<<<blocks, threads>>>(d_x, d_x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_x, bytes, cudaMemcpyDeviceToHost));

    CHECK(cudaFree(d_x));
    CHECK(cudaFreeHost(h_y));
}

int main() {
    float in[4] = {1, 2, 3, 4};
    float out[4];
    filter(in, out, 4);
    printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]); // 9 18 20 20
}
