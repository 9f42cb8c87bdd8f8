// Four numbers at a time, as a float4: a quarter of the accesses, and the same bytes.

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
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        float4 v = *(const float4 *)(in + i);
        *(float4 *)(out + i) =
            make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
    } else {
        for (; i < n; i++) {
            out[i] = in[i] * factor;
        }
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
    int blocks = ((n + 3) / 4 + threads - 1) / threads;
    scale<<<blocks, threads>>>(d_in, d_out, factor, n);
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
