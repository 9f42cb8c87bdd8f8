// The sum starts with 0, an int: so all of it is added as ints.
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>

// What one pair adds to the sum. The compiler puts it into Thrust's kernel.
struct SquaredDifference {
    __host__ __device__ float operator()(float x, float y) const {
        float d = x - y;
        return d * d;
    }
};

void distance(const float *a, const float *b, float *out, int n) {
    *out = thrust::inner_product(thrust::device, a, a + n, b, 0, thrust::plus<float>(), //~ wrong-result
                                 SquaredDifference());
}

int main() {
    const float host_a[] = {1, 2, 3, 4}, host_b[] = {1, 1, 1, 1};
    thrust::device_vector<float> a(host_a, host_a + 4), b(host_b, host_b + 4);
    float out;
    distance(thrust::raw_pointer_cast(a.data()), thrust::raw_pointer_cast(b.data()), &out, 4);
    printf("%g\n", out); // 14
}
