// thrust::min and thrust::max of two values, on both sides, and output that is thrown away.
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>

struct Apart {
    int key, value;
};
struct ByKey {
    __host__ __device__ bool operator()(const Apart &a, const Apart &b) const { return a.key < b.key; }
};

__global__ void clamp(int *x, int low, int high) {
    x[threadIdx.x] = thrust::min(thrust::max(x[threadIdx.x], low), high);
}

int main() {
    Apart a{1, 2}, b{1, 3}, c{0, 4};
    printf("%d %d %d\n", thrust::min(a, b, ByKey()).value, thrust::max(a, b, ByKey()).value,
           thrust::min(a, c, ByKey()).value);
    printf("%d %.1f\n", thrust::min(3, 4), thrust::max(1.5, 2.5));

    const int n = 64;
    thrust::device_vector<int> x(n), keys(n), sums(4);
    thrust::sequence(x.begin(), x.end());
    clamp<<<1, n>>>(thrust::raw_pointer_cast(x.data()), 10, 50);
    printf("%d %d\n", thrust::reduce(x.begin(), x.end()), thrust::reduce(x.begin(), x.end(), 0, thrust::maximum<int>()));
    for (int i = 0; i < n; i++) keys[i] = i / 16;
    THRUST_NS_QUALIFIER::discard_iterator<> nowhere;
    thrust::reduce_by_key(keys.begin(), keys.end(), x.begin(), nowhere, sums.begin());
    thrust::reduce_by_key(keys.begin(), keys.end(), x.begin(), thrust::make_discard_iterator(), sums.begin());
    for (int i = 0; i < 4; i++) printf("%d ", int(sums[i]));
    printf("\n");
}
