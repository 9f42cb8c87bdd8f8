// Static arrays are memory of the GPU too: three of them.
#include <cstdio>
#include <cstdlib>
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
__global__ void smooth(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float left = i > 0 ? x[i - 1] : 0;
        float right = i + 1 < n ? x[i + 1] : 0;
        y[i] = left + x[i] + right;
    }
}
__global__ void limit(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] > 20 ? 20 : x[i];
    }
}
__device__ float one[300000], two[300000], third[300000];
void filter(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    int threads = 256;
    int blocks = (n + threads - 1) / threads;
    float *d_a, *d_b;
    float *d_c;
    CHECK(cudaGetSymbolAddress((void **)&d_a, one));
    CHECK(cudaGetSymbolAddress((void **)&d_b, two));
    CHECK(cudaGetSymbolAddress((void **)&d_c, third)); //~ too-much-work: peak_device_bytes
    CHECK(cudaMemcpy(d_a, in, bytes, cudaMemcpyHostToDevice));
    scale<<<blocks, threads>>>(d_a, d_a, n);
    CHECK(cudaGetLastError());
    smooth<<<blocks, threads>>>(d_a, d_c, n);
    CHECK(cudaGetLastError());
    limit<<<blocks, threads>>>(d_c, d_b, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_b, bytes, cudaMemcpyDeviceToHost));
}
int main() {
    float in[4] = {1, 2, 3, 4};
    float out[4];
    filter(in, out, 4);
    printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]); // 9 18 20 20
}
