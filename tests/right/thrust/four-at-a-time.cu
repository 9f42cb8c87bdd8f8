// Four numbers at a time, as a float4: a quarter of the accesses, and the same bytes.

#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>

// Returns what one pair adds to the sum. The compiler puts it into Thrust's kernel.
struct SquaredDifference {
    __host__ __device__ float operator()(float x, float y) const {
        float d = x - y;
        return d * d;
    }
};

struct Four {
    __device__ float operator()(float4 p, float4 q) const {
        float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z, w = p.w - q.w;
        return x * x + y * y + (z * z + w * w);
    }
};

void distance(const float *a, const float *b, float *out, int n) {
    // a and b are plain pointers: thrust::device says where they point.
    const float4 *a4 = (const float4 *)a, *b4 = (const float4 *)b;
    int q = n / 4;
    float fours = thrust::inner_product(thrust::device, a4, a4 + q, b4, 0.0f,
                                        thrust::plus<float>(), Four());
    float rest = thrust::inner_product(thrust::device, a + 4 * q, a + n, b + 4 * q, 0.0f,
                                       thrust::plus<float>(), SquaredDifference());
    *out = fours + rest;
}

int main() {
    const float host_a[] = {1, 2, 3, 4}, host_b[] = {1, 1, 1, 1};
    thrust::device_vector<float> a(host_a, host_a + 4), b(host_b, host_b + 4);
    float out;
    // raw_pointer_cast: the plain pointer into device memory.
    distance(thrust::raw_pointer_cast(a.data()), thrust::raw_pointer_cast(b.data()), &out, 4);
    printf("%g\n", out); // 14
}
