// Sorting on a whole device by CUB: keys of several types, with values that stay in order where keys are equal, by some
// bits, downwards, back and forth between two buffers, and by a comparison.
#include <algorithm>
#include <cub/cub.cuh>
#include <cstdio>
#include <thrust/device_vector.h>
#include <vector>

template <class T>
T made(int i) {
    unsigned x = i * 2654435761u;
    return T(int(x >> 8) % 1000 - 400) * T(i % 7 == 0 ? 1000 : 1);
}

template <class K, class Call>
int wrong_keys(int n, bool downwards, Call call) {
    std::vector<K> keys(n);
    for (int i = 0; i < n; i++) keys[i] = made<K>(i);
    thrust::device_vector<K> in(keys), out(n);
    const K *from = thrust::raw_pointer_cast(in.data());
    K *to = thrust::raw_pointer_cast(out.data());
    void *memory = nullptr;
    size_t bytes = 0;
    CubDebugExit(call(memory, bytes, from, to));
    cudaMalloc(&memory, bytes);
    CubDebugExit(call(memory, bytes, from, to));
    cudaFree(memory);
    std::vector<K> found(n), left(n);
    thrust::copy(out.begin(), out.end(), found.begin());
    thrust::copy(in.begin(), in.end(), left.begin());
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += left[i] != keys[i];
    std::sort(keys.begin(), keys.end());
    if (downwards) std::reverse(keys.begin(), keys.end());
    for (int i = 0; i < n; i++) wrong += found[i] != keys[i];
    return wrong;
}

template <class K>
void sort_keys(const char *type, int n) {
    int up = wrong_keys<K>(n, false, [=](void *t, size_t &b, const K *in, K *out) {
        return cub::DeviceRadixSort::SortKeys(t, b, in, out, n);
    });
    int down = wrong_keys<K>(n, true, [=](void *t, size_t &b, const K *in, K *out) {
        return cub::DeviceRadixSort::SortKeysDescending(t, b, in, out, n);
    });
    printf("%d of %s: %d and %d wrong\n", n, type, up, down);
}

struct ByLastDigit {
    __host__ __device__ bool operator()(unsigned a, unsigned b) const { return a % 10 < b % 10; }
};

int main() {
    for (int n : {1, 300, 5000}) {
        sort_keys<int>("int", n);
        sort_keys<float>("float", n);
    }
    sort_keys<unsigned char>("unsigned char", 2000);
    sort_keys<long long>("long long", 2000);
    sort_keys<double>("double", 2000);

    // By bits 4 to 12 with places as values, between two buffers.
    const int n = 6000;
    unsigned *keys[2];
    int *places[2];
    for (int i : {0, 1}) {
        cudaMallocManaged(keys + i, n * sizeof(unsigned));
        cudaMallocManaged(places + i, n * sizeof(int));
    }
    std::vector<unsigned> made(n);
    for (int i = 0; i < n; i++) made[i] = i * 2654435761u;
    void *memory = nullptr;
    size_t bytes = 0, room = 0;
    for (int end_bit : {4, 8, 12, 13}) {
        for (int i = 0; i < n; i++) {
            keys[0][i] = made[i];
            places[0][i] = i;
        }
        cub::DoubleBuffer<unsigned> d_keys(keys[0], keys[1]);
        cub::DoubleBuffer<int> d_places(places[0], places[1]);
        CubDebugExit(cub::DeviceRadixSort::SortPairs(nullptr, bytes, d_keys, d_places, n, 4, end_bit));
        if (bytes > room) {
            cudaFree(memory);
            cudaMalloc(&memory, room = bytes);
        }
        CubDebugExit(cub::DeviceRadixSort::SortPairs(memory, bytes, d_keys, d_places, n, 4, end_bit));
        cudaDeviceSynchronize();
        std::vector<int> wanted(n);
        for (int i = 0; i < n; i++) wanted[i] = i;
        unsigned mask = (1u << end_bit) - 16;
        std::stable_sort(wanted.begin(), wanted.end(), [&](int a, int b) { return (made[a] & mask) < (made[b] & mask); });
        int wrong = 0;
        for (int i = 0; i < n; i++)
            wrong += d_places.Current()[i] != wanted[i] || d_keys.Current()[i] != made[wanted[i]];
        printf("bits 4 to %d: %d wrong, now in buffer %d\n", end_bit, wrong, d_keys.selector);
    }
    cudaFree(memory);

    // By a comparison that finds many keys equal.
    for (int i = 0; i < n; i++) {
        keys[0][i] = made[i];
        places[0][i] = i;
    }
    cub::DeviceMergeSort::StableSortPairs(nullptr, bytes, keys[0], places[0], n, ByLastDigit());
    cudaMalloc(&memory, bytes);
    cub::DeviceMergeSort::StableSortPairs(memory, bytes, keys[0], places[0], n, ByLastDigit());
    cudaDeviceSynchronize();
    std::vector<int> wanted(n);
    for (int i = 0; i < n; i++) wanted[i] = i;
    std::stable_sort(wanted.begin(), wanted.end(), [&](int a, int b) { return made[a] % 10 < made[b] % 10; });
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += places[0][i] != wanted[i] || keys[0][i] != made[wanted[i]];
    printf("by the last digit: %d wrong\n", wrong);
    for (int i : {0, 1}) cudaFree(keys[i]), cudaFree(places[i]);
    cudaFree(memory);
}
