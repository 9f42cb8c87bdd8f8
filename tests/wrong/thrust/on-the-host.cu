// Copies both to the host and adds there.
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/host_vector.h>

void distance(const float *a, const float *b, float *out, int n) { //~ too-much-work: load_sectors
    thrust::host_vector<float> x(n), y(n);
    cudaMemcpy(x.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(y.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < n; i++) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    }
    *out = sum;
}

int main() {
    const float host_a[] = {1, 2, 3, 4}, host_b[] = {1, 1, 1, 1};
    thrust::device_vector<float> a(host_a, host_a + 4), b(host_b, host_b + 4);
    float out;
    distance(thrust::raw_pointer_cast(a.data()), thrust::raw_pointer_cast(b.data()), &out, 4);
    printf("%g\n", out); // 14
}
