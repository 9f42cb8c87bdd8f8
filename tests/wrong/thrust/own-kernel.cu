// A kernel of its own adds up, by atomics.
// thrust: out = (a[0] - b[0])² + … + (a[n - 1] - b[n - 1])², by Thrust.
//
// a, b: n floats in device memory. out: one float on the host.

#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

__global__ void add_up(const float *a, const float *b, float *sum, int n) {
    float own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float d = a[i] - b[i];
        own += d * d;
    }
    atomicAdd(sum, own);
}

void distance(const float *a, const float *b, float *out, int n) { //~ too-much-work: global_atomics
    float *sum;
    cudaMalloc(&sum, sizeof(float));
    cudaMemset(sum, 0, sizeof(float));
    int blocks = (n + 255) / 256;
    add_up<<<blocks < 8 ? blocks : 8, 256>>>(a, b, sum, n);
    cudaMemcpy(out, sum, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(sum);
}

int main() {
    const float host_a[] = {1, 2, 3, 4}, host_b[] = {1, 1, 1, 1};
    thrust::device_vector<float> a(host_a, host_a + 4), b(host_b, host_b + 4);
    float out;
    // raw_pointer_cast: the plain pointer into device memory.
    distance(thrust::raw_pointer_cast(a.data()), thrust::raw_pointer_cast(b.data()), &out, 4);
    printf("%g\n", out); // 14
}
