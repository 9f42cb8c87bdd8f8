// As many blocks for every n: each thread goes on in steps of the whole grid.
// first-program: multiply n numbers by a factor, on the GPU.
//
// scale_on_gpu() gets two arrays in ordinary host memory.

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

__global__ void scale(const float *in, float *out, float factor, int n) {
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        out[i] = in[i] * factor;
    }
}

void scale_on_gpu(const float *in, float *out, float factor, int n) {
    size_t bytes = n * sizeof(float);

    // The kernel can't follow `in` and `out`: they point to host memory.
    // These two point to device memory.
    float *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));

    // Destination first, as in an assignment; the size is in bytes.
    CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));

    scale<<<128, 256>>>(d_in, d_out, factor, n);
    // A launch returns nothing, so we ask for its error.
    CHECK(cudaGetLastError());

    // This copy waits until the kernel is done; no other wait is needed.
    CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));

    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
}

int main() {
    float in[5] = {1, 2, 3, 4, 5};
    float out[5] = {0, 0, 0, 0, 0};
    scale_on_gpu(in, out, 10, 5);
    for (int i = 0; i < 5; i++) {
        printf("%g times 10 is %g\n", in[i], out[i]);
    }
}
