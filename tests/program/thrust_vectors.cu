// Thrust: vectors on both sides, and the algorithms that programs use most.
#include <cmath>
#include <cstdio>
#include <iostream>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

struct Line {
    float slope;
    __host__ __device__ float operator()(const float &x, const float &offset) const { return slope * x + offset; }
};

template <typename T>
struct Squared {
    __host__ __device__ T operator()(const T &x) const { return x * x; }
};

struct Odd {
    __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

struct MultiplyAdd {
    template <typename Tuple>
    __host__ __device__ void operator()(Tuple t) {
        thrust::get<3>(t) = thrust::get<0>(t) + thrust::get<1>(t) * thrust::get<2>(t);
    }
};

// The share of random points that fall into a quarter of a circle, times four.
struct Quarter {
    __host__ __device__ float operator()(unsigned seed) {
        const int points = 20;
        thrust::default_random_engine random(seed);
        random.discard(seed);
        thrust::uniform_real_distribution<float> uniform(0, 1);
        int inside = 0;
        for (int i = 0; i < points; i++) {
            float x = uniform(random), y = uniform(random);
            inside += x * x + y * y <= 1;
        }
        return 4.0f * inside / points;
    }
};

int main() {
    thrust::host_vector<int> here(4);
    for (int i = 0; i < 4; i++) here[i] = 10 + i * i;
    thrust::device_vector<int> there = here;
    there[0] = 99;
    there[1] += 5;
    for (size_t i = 0; i < there.size(); i++) std::cout << "there[" << i << "] = " << there[i] << std::endl;

    thrust::device_vector<int> mixed(10, 1);
    thrust::fill(mixed.begin(), mixed.begin() + 7, 9);
    thrust::copy(here.begin(), here.end(), mixed.begin());
    printf("sum %d, on the host %d\n", thrust::reduce(mixed.begin(), mixed.end(), 0, thrust::plus<int>()),
           thrust::reduce(here.begin(), here.end()));

    const int n = 5000;
    thrust::device_vector<float> x(n), y(n, 2.0f);
    thrust::sequence(x.begin(), x.end());
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), Line{3});
    printf("line %g\n", float(y.back()));
    thrust::device_vector<float> four(x.begin() + 1, x.begin() + 5);
    printf("norm %.4f\n",
           std::sqrt(thrust::transform_reduce(four.begin(), four.end(), Squared<float>(), 0.0f, thrust::plus<float>())));

    thrust::device_vector<int> ones(n, 1);
    thrust::exclusive_scan(ones.begin(), ones.end(), ones.begin());
    printf("exclusive %d %d %d\n", int(ones[0]), int(ones[1500]), int(ones[n - 1]));
    thrust::inclusive_scan(ones.begin(), ones.end(), ones.begin());
    printf("inclusive %d %d\n", int(ones[3]), int(ones[n - 1]));
    int local[] = {1, 0, 2, 2, 1, 3};
    thrust::inclusive_scan(local, local + 6, local);
    printf("on the host %d %d\n", local[4], local[5]);

    thrust::device_vector<int> keys(n), values(n);
    thrust::sequence(values.begin(), values.end());
    thrust::transform(values.begin(), values.end(), keys.begin(), [] __device__(int i) { return i * 7919 % 5003; });
    thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
    int before = int(values[17]) * 7919 % 5003;
    printf("in order: %s, values with them: %s\n", thrust::is_sorted(keys.begin(), keys.end()) ? "yes" : "no",
           before == keys[17] ? "yes" : "no");
    thrust::sort(keys.begin(), keys.end(), thrust::greater<int>());
    printf("greatest %d at %d, least at %d\n", int(keys[0]),
           int(thrust::max_element(keys.begin(), keys.end()) - keys.begin()),
           int(thrust::min_element(keys.begin(), keys.end()) - keys.begin()));
    printf("odd below 1000: %d, nines: %d\n",
           int(thrust::count_if(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(1000), Odd())),
           int(thrust::count(mixed.begin(), mixed.end(), 9)));

    mixed.erase(thrust::unique(mixed.begin(), mixed.end()), mixed.end());
    printf("unique:");
    for (int value : thrust::host_vector<int>(mixed)) printf(" %d", value);
    printf("\n");
    thrust::device_vector<int> odd(mixed.size());
    odd.resize(thrust::copy_if(mixed.begin(), mixed.end(), odd.begin(), Odd()) - odd.begin());
    printf("odd of them: %d, first %d\n", int(odd.size()), int(odd.front()));

    thrust::device_vector<float> a(5), b(5, 2.0f), c(5), d(5);
    thrust::sequence(a.begin(), a.end(), 3.0f);
    thrust::sequence(c.begin(), c.end());
    thrust::for_each(thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin(), c.begin(), d.begin())),
                     thrust::make_zip_iterator(thrust::make_tuple(a.end(), b.end(), c.end(), d.end())), MultiplyAdd());
    printf("zipped %g %g, inner product %g\n", float(d[0]), float(d[4]),
           thrust::inner_product(a.begin(), a.end(), c.begin(), 0.0f));

    thrust::counting_iterator<int> seeds(0);
    float pi = thrust::transform_reduce(seeds, seeds + 3000, Quarter(), 0.0f, thrust::plus<float>()) / 3000;
    printf("pi is near 3.1: %s\n", fabsf(pi - 3.14f) < 0.1f ? "yes" : "no");

    int *raw = thrust::raw_pointer_cast(keys.data());
    thrust::fill(thrust::device, raw, raw + 10, 5);
    thrust::device_ptr<int> first = thrust::device_pointer_cast(raw);
    printf("filled %d, not %d\n", int(first[9]), int(first[10]) == 5);

    int groups[] = {1, 1, 2, 2, 2, 3}, amounts[] = {9, 1, 5, 5, 5, 7};
    thrust::device_vector<int> group(groups, groups + 6), amount(amounts, amounts + 6), group_of(6), total(6);
    auto ends = thrust::reduce_by_key(group.begin(), group.end(), amount.begin(), group_of.begin(), total.begin());
    for (int i = 0; i < ends.first - group_of.begin(); i++) printf("group %d: %d\n", int(group_of[i]), int(total[i]));

    thrust::host_vector<int> group_here = group, amount_here = amount;
    auto apart = thrust::unique_by_key_copy(group.begin(), group.end(), amount.begin(), group_of.begin(), total.begin());
    auto kept = thrust::unique_by_key(group.begin(), group.end(), amount.begin());
    auto kept_here = thrust::unique_by_key(group_here.begin(), group_here.end(), amount_here.begin());
    printf("first of each: %d %d %d\n", int(apart.second - total.begin()), int(kept.first - group.begin()),
           int(kept_here.second - amount_here.begin()));
    for (int i = 0; i < kept.first - group.begin(); i++)
        printf("%d: %d, %d: %d, %d: %d\n", int(group[i]), int(amount[i]), group_here[i], amount_here[i],
               int(group_of[i]), int(total[i]));
}
