// Rounds the limit up to whole numbers.
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
    // A chunk of m sums takes m + 2 numbers in and m out, 4 bytes each.
    int most = std::min(n, ((limit + 3) / 4 - 2) / 2); //~ too-much-work: peak_device_bytes
    float *d_x, *d_y;
    CHECK(cudaMalloc(&d_x, (most + 2) * sizeof(float)));
    CHECK(cudaMalloc(&d_y, most * sizeof(float)));

    for (int first = 0; first < n; first += most) {
        int count = std::min(most, n - first);
        // With a neighbour on each side, where there is one. d_x[0] stands for
        // in[first - 1], even where that does not exist.
        int from = std::max(first - 1, 0);
        int to = std::min(first + count + 1, n);
        if (first == 0) {
            CHECK(cudaMemset(d_x, 0, sizeof(float)));
        }
        if (first + count == n) {
            CHECK(cudaMemset(d_x + count + 1, 0, sizeof(float)));
        }
        CHECK(cudaMemcpy(d_x + (from - (first - 1)), in + from, (to - from) * sizeof(float),
                         cudaMemcpyHostToDevice));
        smooth<<<(count + 255) / 256, 256>>>(d_x, d_y, count);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(out + first, d_y, count * sizeof(float), cudaMemcpyDeviceToHost));
    }

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
