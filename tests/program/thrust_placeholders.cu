// Operations as expressions of placeholders, in algorithms and in iterators; and what device_vector.h brings in with it.
#include <cstdio>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>

using namespace thrust::placeholders;

int main() {
    const int n = 1000;
    thrust::device_vector<float> x(n), y(n, 1.0f);
    thrust::sequence(x.begin(), x.end());
    float a = 2;
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), a * _1 + _2);
    printf("%g %g\n", float(y[3]), thrust::reduce(y.begin(), y.end(), 0.0f, thrust::plus<float>()));
    printf("%d\n", int(thrust::count_if(x.begin(), x.end(), _1 >= 10 && !(_1 > 19))));
    thrust::device_vector<int> i(n);
    thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n), i.begin(),
                      (_1 % 7 << 1 | 1) - -(_1 == 3));
    auto tens = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), _1 / 10);
    thrust::inclusive_scan(tens, tens + n, i.begin());
    int last = i[n - 1], sum = 0;
    for (int k = 0; k < n; k++) sum += k / 10;
    printf("%d %d\n", last, sum);
    thrust::device_vector<int> steps(n);
    thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n), steps.begin(),
                      (_1 % 7 << 1 | 1) - -(_1 == 3));
    int host = 0, wrong = 0;
    for (int k = 0; k < n; k++) {
        host = (k % 7 << 1 | 1) + (k == 3);
        wrong += host != steps[k];
    }
    printf("%d wrong\n", wrong);
}
