// The host's array is cleared by memset(), the device's by cudaMemset().
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                   \
    do {                                                              \
        cudaError_t e_ = (call);                                      \
        if (e_ != cudaSuccess) {                                      \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                  \
        }                                                             \
    } while (0)

__global__ void count(const int *values, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[values[i] & 7], 1);
}

int main() {
    const int n = 800;
    int values[n], bins[8];
    for (int i = 0; i < n; i++) values[i] = i;
    int *d_values, *d_bins;
    CHECK(cudaMalloc(&d_values, sizeof values));
    CHECK(cudaMalloc(&d_bins, sizeof bins));
    CHECK(cudaMemcpy(d_values, values, sizeof values, cudaMemcpyHostToDevice));
    memset(bins, 0, sizeof bins);
    CHECK(cudaMemset(d_bins, 0, sizeof bins));
    count<<<(n + 127) / 128, 128>>>(d_values, d_bins, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(bins, d_bins, sizeof bins, cudaMemcpyDeviceToHost));
    printf("bins[5] = %d\n", bins[5]);
    CHECK(cudaFree(d_values));
    CHECK(cudaFree(d_bins));
    return 0;
}
