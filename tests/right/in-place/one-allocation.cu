// One allocation with room for both arrays.
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

void filter(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    int blocks = (n + 127) / 128;
    float *d_x;
    CHECK(cudaMalloc(&d_x, 2 * bytes));
    CHECK(cudaMemcpy(d_x, in, bytes, cudaMemcpyDefault));
    scale<<<blocks, 128>>>(d_x, d_x, n);
    smooth<<<blocks, 128>>>(d_x, d_x + n, n);
    limit<<<blocks, 128>>>(d_x + n, d_x + n, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_x + n, bytes, cudaMemcpyDefault));
    CHECK(cudaFree(d_x));
}

int main() {
    float in[4] = {1, 2, 3, 4};
    float out[4];
    filter(in, out, 4);
    printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]); // 9 18 20 20
}
