// thrust: out = (a[0] - b[0])² + … + (a[n - 1] - b[n - 1])², by Thrust.
//
// a, b: n floats in device memory. out: one float on the host.

#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

// Three algorithms, and two vectors between them. One algorithm can do it.
void distance(const float *a, const float *b, float *out, int n) {
    thrust::device_vector<float> difference(n), square(n);
    thrust::transform(thrust::device, a, a + n, b, difference.begin(), thrust::minus<float>());
    thrust::transform(difference.begin(), difference.end(), difference.begin(), square.begin(),
                      thrust::multiplies<float>());
    *out = thrust::reduce(square.begin(), square.end());
}

int main() {
    const float host_a[] = {1, 2, 3, 4}, host_b[] = {1, 1, 1, 1};
    thrust::device_vector<float> a(host_a, host_a + 4), b(host_b, host_b + 4);
    float out;
    // raw_pointer_cast: the plain pointer into device memory.
    distance(thrust::raw_pointer_cast(a.data()), thrust::raw_pointer_cast(b.data()), &out, 4);
    printf("%g\n", out); // 14
}
