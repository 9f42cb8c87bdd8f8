// Where iterators are from one another, with and without the header that says so.
#include <cstdio>
#include <thrust/advance.h>
#include <thrust/device_vector.h>
#include <thrust/distance.h>
#include <thrust/extrema.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/random/linear_congruential_engine.h>
#include <thrust/random/uniform_real_distribution.h>
#include <thrust/system/omp/execution_policy.h>

int main() {
    thrust::device_vector<int> v(6, 1);
    v[2] = 5;
    auto largest = thrust::max_element(v.begin(), v.end());
    printf("%d %d\n", (int)thrust::distance(v.begin(), largest), (int)thrust::distance(largest, v.begin()));
    thrust::advance(largest, -2);
    printf("%d %d\n", (int)*largest, (int)*thrust::next(largest, 2));
    thrust::counting_iterator<int> first(3), last(9);
    int own[4] = {};
    printf("%d %d\n", (int)thrust::distance(first, last), (int)thrust::distance(own, own + 4));
    thrust::minstd_rand engine(7);
    thrust::uniform_real_distribution<float> uniform(0, 1);
    float drawn = uniform(engine);
    printf("%d\n", drawn >= 0 && drawn < 1);
}
