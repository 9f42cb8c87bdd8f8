// The sum of the differences, squared.
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>

void distance(const float *a, const float *b, float *out, int n) {
    float sum = thrust::inner_product(thrust::device, a, a + n, b, 0.0f, thrust::plus<float>(),
                                      thrust::minus<float>());
    *out = sum * sum; //~ wrong-result
}

int main() {
    const float host_a[] = {1, 2, 3, 4}, host_b[] = {1, 1, 1, 1};
    thrust::device_vector<float> a(host_a, host_a + 4), b(host_b, host_b + 4);
    float out;
    distance(thrust::raw_pointer_cast(a.data()), thrust::raw_pointer_cast(b.data()), &out, 4);
    printf("%g\n", out); // 14
}
