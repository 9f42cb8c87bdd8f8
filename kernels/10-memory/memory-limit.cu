// memory-limit: smooth n numbers with no more device memory than is allowed.
//
// It is right, but takes memory for all of them at once.

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

// y[i] is the sum of a number and its neighbours: n sums from n + 2 numbers.
__global__ void smooth(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] + x[i + 1] + x[i + 2];
    }
}

// Smooths n numbers in host memory; outside them everything is zero. No more than
// `limit` bytes of device memory may be in use.
void smooth_all(const float *in, float *out, int n, int limit) {
    // Write it so that it stays within the limit.
    float *d_x, *d_y;
    CHECK(cudaMalloc(&d_x, (n + 2) * sizeof(float)));
    CHECK(cudaMalloc(&d_y, n * sizeof(float)));

    // A zero at either end.
    CHECK(cudaMemset(d_x, 0, sizeof(float)));
    CHECK(cudaMemset(d_x + n + 1, 0, sizeof(float)));
    CHECK(cudaMemcpy(d_x + 1, in, n * sizeof(float), cudaMemcpyHostToDevice));
    smooth<<<(n + 255) / 256, 256>>>(d_x, d_y, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_y, n * sizeof(float), cudaMemcpyDeviceToHost));

    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
}

int main() {
    float in[6] = {1, 2, 3, 4, 5, 6}, out[6];
    smooth_all(in, out, 6, 32);
    for (float x : out) {
        printf("%g ", x); // 3 6 9 12 15 11
    }
    printf("\n");
}
