// The square is done by the reduction, the difference still has its vector.
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

struct Square {
    __host__ __device__ float operator()(float d) const {
        return d * d;
    }
};

void distance(const float *a, const float *b, float *out, int n) { //~ too-much-work: global_reads
    thrust::device_vector<float> difference(n);
    thrust::transform(thrust::device, a, a + n, b, difference.begin(), thrust::minus<float>());
    *out = thrust::transform_reduce(difference.begin(), difference.end(), Square(), 0.0f,
                                    thrust::plus<float>());
}

int main() {
    const float host_a[] = {1, 2, 3, 4}, host_b[] = {1, 1, 1, 1};
    thrust::device_vector<float> a(host_a, host_a + 4), b(host_b, host_b + 4);
    float out;
    distance(thrust::raw_pointer_cast(a.data()), thrust::raw_pointer_cast(b.data()), &out, 4);
    printf("%g\n", out); // 14
}
