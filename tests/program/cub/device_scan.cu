// Running sums of a whole device by CUB: with and without the element itself, in place, by an operation that does not
// commute, and by key.
#include <cub/device/device_scan.cuh>
#include <cstdio>
#include <vector>

template <class Call>
void twice(Call call) {
    void *memory = nullptr;
    size_t bytes = 0;
    if (call(memory, bytes) != cudaSuccess || cudaMalloc(&memory, bytes) != cudaSuccess) exit(1);
    if (call(memory, bytes) != cudaSuccess) exit(1);
    cudaFree(memory);
}

// x -> a x + b, modulo 2^32: what comes first is applied first.
struct Line {
    unsigned a, b;
};
struct Then {
    __host__ __device__ Line operator()(const Line &f, const Line &g) const {
        return {g.a * f.a, g.a * f.b + g.b};
    }
};
struct Largest {
    template <class T>
    __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
struct SameTen {
    __host__ __device__ bool operator()(int a, int b) const { return a / 10 == b / 10; }
};

int main() {
    const int most = 30000;
    int *in, *out, *keys;
    Line *lines;
    cudaMallocManaged(&in, most * sizeof(int));
    cudaMallocManaged(&out, 6 * most * sizeof(int));
    cudaMallocManaged(&keys, most * sizeof(int));
    cudaMallocManaged(&lines, 2 * most * sizeof(Line));
    for (int n : {1, 2, 256, 1279, 1281, most}) {
        int *exclusive = out, *inclusive = out + n, *maximum = out + 2 * n, *from = out + 3 * n, *by_key = out + 4 * n,
            *behind = out + 5 * n;
        for (int i = 0; i < n; i++) {
            in[i] = i * 31 % 17 - 5;
            keys[i] = i / 7 * 3;
            lines[i] = {2u * i + 1, 3u * i};
            behind[i] = in[i];
        }
        twice([=](void *t, size_t &b) { return cub::DeviceScan::ExclusiveSum(t, b, in, exclusive, n); });
        twice([=](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, in, inclusive, n); });
        twice([=](void *t, size_t &b) { return cub::DeviceScan::InclusiveScan(t, b, in, maximum, Largest(), n); });
        twice([=](void *t, size_t &b) { return cub::DeviceScan::ExclusiveScan(t, b, in, from, Largest(), 3, n); });
        twice([=](void *t, size_t &b) { return cub::DeviceScan::InclusiveScan(t, b, lines, lines + n, Then(), n); });
        twice([=](void *t, size_t &b) {
            return cub::DeviceScan::ExclusiveSumByKey(t, b, keys, in, by_key, n, SameTen());
        });
        twice([=](void *t, size_t &b) { return cub::DeviceScan::ExclusiveSum(t, b, behind, n); });
        cudaDeviceSynchronize();
        int wrong[7] = {}, sum = 0, largest = in[0], before = 3, of_key = 0;
        Line all = {1, 0};
        for (int i = 0; i < n; i++) {
            largest = Largest()(largest, in[i]);
            if (i == 0 || !SameTen()(keys[i - 1], keys[i])) of_key = 0;
            all = Then()(all, lines[i]);
            wrong[0] += exclusive[i] != sum;
            wrong[1] += inclusive[i] != sum + in[i];
            wrong[2] += maximum[i] != largest;
            wrong[3] += from[i] != before;
            wrong[4] += lines[n + i].a != all.a || lines[n + i].b != all.b;
            wrong[5] += by_key[i] != of_key;
            wrong[6] += behind[i] != sum;
            sum += in[i];
            before = Largest()(before, in[i]);
            of_key += in[i];
        }
        printf("%d:", n);
        for (int which : wrong) printf(" %d", which);
        printf(" wrong, the sum is %d\n", sum);
    }
    cudaFree(in), cudaFree(out), cudaFree(keys), cudaFree(lines);
}
