// Sets of Thrust: sorted sequences, with elements that are there more than once, on both sides.

#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/set_operations.h>

template <class Vector, class End>
static void show(const char *name, const Vector &values, End end) {
    printf("%s:", name);
    for (auto it = values.begin(); it != end; ++it) printf(" %d", int(*it));
    printf("\n");
}

template <class Vector>
static void all_of(const Vector &a, const Vector &b) {
    Vector out(a.size() + b.size());
    show("both", out, thrust::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out.begin()));
    show("first only", out, thrust::set_difference(a.begin(), a.end(), b.begin(), b.end(), out.begin()));
    show("any", out, thrust::set_union(a.begin(), a.end(), b.begin(), b.end(), out.begin()));
    show("one only", out, thrust::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), out.begin()));
}

int main() {
    int first[] = {0, 1, 1, 2, 5, 5, 5, 8}, second[] = {1, 3, 5, 5, 5, 5, 8, 9};
    thrust::host_vector<int> a(first, first + 8), b(second, second + 8);
    all_of(a, b);
    thrust::device_vector<int> on_a = a, on_b = b, none;
    all_of(on_a, on_b);
    all_of(on_a, none);

    int down[] = {9, 7, 4}, other[] = {8, 7, 3}, united[6];
    int *end = thrust::set_union(thrust::host, down, down + 3, other, other + 3, united, thrust::greater<int>());
    for (int *it = united; it != end; it++) printf("%d ", *it);
    printf("\n");
    thrust::device_vector<int> from(down, down + 3), to(other, other + 3), rest(3);
    auto last = thrust::set_difference(thrust::device, from.begin(), from.end(), to.begin(), to.end(), rest.begin(),
                                       thrust::greater<int>());
    show("downwards", rest, last);
}
