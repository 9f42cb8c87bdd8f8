// The squares go to an iterator that transforms, and are reduced.
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/tuple.h>

struct SquaredDifference {
    __host__ __device__ float operator()(const thrust::tuple<float, float> &pair) const {
        float d = thrust::get<0>(pair) - thrust::get<1>(pair);
        return d * d;
    }
};

void distance(const float *a, const float *b, float *out, int n) {
    auto pairs = thrust::make_zip_iterator(thrust::make_tuple(a, b));
    auto squares = thrust::make_transform_iterator(pairs, SquaredDifference());
    *out = thrust::reduce(thrust::device, squares, squares + n, 0.0f);
}

int main() {
    const float host_a[] = {1, 2, 3, 4}, host_b[] = {1, 1, 1, 1};
    thrust::device_vector<float> a(host_a, host_a + 4), b(host_b, host_b + 4);
    float out;
    distance(thrust::raw_pointer_cast(a.data()), thrust::raw_pointer_cast(b.data()), &out, 4);
    printf("%g\n", out); // 14
}
