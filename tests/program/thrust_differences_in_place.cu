// The differences of neighbours go where the values are, on the device and on the host.
#include <cstdio>
#include <thrust/adjacent_difference.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

int main() {
    const int n = 300;
    thrust::host_vector<int> h(n);
    for (int i = 0; i < n; i++) h[i] = i * i;
    thrust::device_vector<int> d = h, other(n);
    thrust::adjacent_difference(d.begin(), d.end(), other.begin());
    thrust::adjacent_difference(d.begin(), d.end(), d.begin());
    thrust::adjacent_difference(h.begin(), h.end(), h.begin());
    int wrong = 0;
    for (int i = 1; i < n; i++) wrong += d[i] != 2 * i - 1 || other[i] != 2 * i - 1 || h[i] != 2 * i - 1;
    printf("%d %d %d\n", int(d[0]), int(d[n - 1]), wrong);
}
