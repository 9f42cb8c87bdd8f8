// Kernels of its own add up, by warps.
// thrust: out = (a[0] - b[0])² + … + (a[n - 1] - b[n - 1])², by Thrust.
//
// a, b: n floats in device memory. out: one float on the host.

#include <cstdio>
#include <thrust/device_vector.h>

// Each block adds up a part, warp by warp.
__global__ void add_parts(const float *a, const float *b, float *sums, int n) {
    __shared__ float tile[8];
    float own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float d = a[i] - b[i];
        own += d * d;
    }
    for (int half = 16; half > 0; half /= 2) {
        own += __shfl_down_sync(0xffffffff, own, half);
    }
    if (threadIdx.x % 32 == 0) {
        tile[threadIdx.x / 32] = own;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0;
        for (float part : tile) {
            total += part;
        }
        sums[blockIdx.x] = total;
    }
}

// One thread adds up the sums of the blocks.
__global__ void add_sums(float *sums, int n) {
    float total = 0;
    for (int i = 0; i < n; i++) {
        total += sums[i];
    }
    sums[0] = total;
}

void distance(const float *a, const float *b, float *out, int n) { //~ too-much-work: synchronisations
    float *sums;
    int blocks = n < 8192 ? (n + 255) / 256 : 32;
    cudaMalloc(&sums, blocks * sizeof(float));
    add_parts<<<blocks, 256>>>(a, b, sums, n);
    add_sums<<<1, 1>>>(sums, blocks);
    cudaMemcpy(out, sums, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(sums);
}

int main() {
    const float host_a[] = {1, 2, 3, 4}, host_b[] = {1, 1, 1, 1};
    thrust::device_vector<float> a(host_a, host_a + 4), b(host_b, host_b + 4);
    float out;
    // raw_pointer_cast: the plain pointer into device memory.
    distance(thrust::raw_pointer_cast(a.data()), thrust::raw_pointer_cast(b.data()), &out, 4);
    printf("%g\n", out); // 14
}
