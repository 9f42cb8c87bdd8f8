// Device pointers say where the work is done; the square is multiplied out.
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>

struct SquaredDifference {
    __host__ __device__ float operator()(float x, float y) const {
        return x * x - 2 * x * y + y * y;
    }
};

void distance(const float *a, const float *b, float *out, int n) {
    thrust::device_ptr<const float> from(a), other(b);
    *out = thrust::inner_product(from, from + n, other, 0.0f, thrust::plus<float>(),
                                 SquaredDifference());
}

int main() {
    const float host_a[] = {1, 2, 3, 4}, host_b[] = {1, 1, 1, 1};
    thrust::device_vector<float> a(host_a, host_a + 4), b(host_b, host_b + 4);
    float out;
    distance(thrust::raw_pointer_cast(a.data()), thrust::raw_pointer_cast(b.data()), &out, 4);
    printf("%g\n", out); // 14
}
