// The factor is copied to constant memory: four bytes more.

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

__constant__ float c_factor;

__global__ void scale(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i] * c_factor;
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

    // Rounded up: 257 elements need two blocks of 256 threads.
    int threads = 256;
    int blocks = (n + threads - 1) / threads;
    CHECK(cudaMemcpyToSymbol(c_factor, &factor, sizeof(float)));
    scale<<<blocks, threads>>>(d_in, d_out, n);
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
