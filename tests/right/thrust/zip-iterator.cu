// A zip iterator walks through both.
// thrust: out = (a[0] - b[0])² + … + (a[n - 1] - b[n - 1])², by Thrust.
//
// a, b: n floats in device memory. out: one float on the host.

#include <cstdio>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>

struct PairDistance {
    __host__ __device__ float operator()(const thrust::tuple<float, float> &t) const {
        float d = thrust::get<0>(t) - thrust::get<1>(t);
        return d * d;
    }
};

void distance(const float *a, const float *b, float *out, int n) {
    auto first = thrust::make_zip_iterator(
        thrust::make_tuple(thrust::device_pointer_cast(a), thrust::device_pointer_cast(b)));
    *out = thrust::transform_reduce(first, first + n, PairDistance(), 0.0f, thrust::plus<float>());
}

int main() {
    const float host_a[] = {1, 2, 3, 4}, host_b[] = {1, 1, 1, 1};
    thrust::device_vector<float> a(host_a, host_a + 4), b(host_b, host_b + 4);
    float out;
    // raw_pointer_cast: the plain pointer into device memory.
    distance(thrust::raw_pointer_cast(a.data()), thrust::raw_pointer_cast(b.data()), &out, 4);
    printf("%g\n", out); // 14
}
