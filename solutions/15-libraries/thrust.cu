// thrust: out = (a[0] - b[0])² + … + (a[n - 1] - b[n - 1])², by Thrust.
//
// a, b: n floats in device memory. out: one float on the host.

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

void distance(const float *a, const float *b, float *out, int n) {
    // a and b are plain pointers: thrust::device says where they point.
    *out = thrust::inner_product(thrust::device, a, a + n, b, 0.0f, thrust::plus<float>(),
                                 SquaredDifference());
}

int main() {
    const float host_a[] = {1, 2, 3, 4}, host_b[] = {1, 1, 1, 1};
    thrust::device_vector<float> a(host_a, host_a + 4), b(host_b, host_b + 4);
    float out;
    // raw_pointer_cast: the plain pointer into device memory.
    distance(thrust::raw_pointer_cast(a.data()), thrust::raw_pointer_cast(b.data()), &out, 4);
    printf("%g\n", out); // 14
}
