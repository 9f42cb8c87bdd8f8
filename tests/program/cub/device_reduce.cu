// Reductions of a whole device by CUB: sums, extremes and where they are, an operation of the program's own, runs of
// keys, and segments; of no element, of one, and of more than one block takes.
#include <climits>
#include <cub/cub.cuh>
#include <cstdio>
#include <vector>

struct Temporary {
    void *memory = nullptr;
    size_t bytes = 0, room = 0;
    // After the call that asked for `bytes`.
    void grow() {
        if (bytes <= room && memory) return;
        cudaFree(memory);
        CubDebugExit(cudaMalloc(&memory, bytes));
        room = bytes;
    }
    ~Temporary() { cudaFree(memory); }
};

// The two calls of an algorithm.
#define TWICE(function, ...)                                           \
    do {                                                               \
        CubDebugExit(function(nullptr, temporary.bytes, __VA_ARGS__)); \
        temporary.grow();                                              \
        CubDebugExit(function(temporary.memory, temporary.bytes, __VA_ARGS__)); \
    } while (0)

struct Gcd {
    __host__ __device__ int operator()(int a, int b) const {
        while (b != 0) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        return a < 0 ? -a : a;
    }
};
struct Square {
    __host__ __device__ long long operator()(int x) const { return (long long)x * x; }
};

int main() {
    Temporary temporary;
    const int most = 70000;
    int *in;
    long long *sum;
    int *some;
    cub::KeyValuePair<int, int> *place;
    cudaMallocManaged(&in, most * sizeof(int));
    cudaMallocManaged(&sum, 2 * sizeof(long long));
    cudaMallocManaged(&some, 6 * sizeof(int));
    cudaMallocManaged(&place, 2 * sizeof(*place));
    for (int i = 0; i < most; i++) in[i] = (i * 7919LL % 10007 - 5000) * 6;
    for (int n : {0, 1, 31, 1000, 1025, 5000, most}) {
        TWICE(cub::DeviceReduce::Sum, in, sum, n);
        TWICE(cub::DeviceReduce::Min, in, some, n);
        TWICE(cub::DeviceReduce::Max, in, some + 1, n);
        TWICE(cub::DeviceReduce::ArgMin, in, place, n);
        TWICE(cub::DeviceReduce::ArgMax, in, place + 1, n);
        TWICE(cub::DeviceReduce::Reduce, in, some + 2, n, Gcd(), 90);
        TWICE(cub::DeviceReduce::TransformReduce, in, sum + 1, n, cub::Sum(), Square(), 0LL);
        cudaDeviceSynchronize();
        long long all = 0, squares = 0;
        int least = INT_MAX, largest = INT_MIN, least_at = 1, largest_at = 1, gcd = 90;
        for (int i = 0; i < n; i++) {
            all += in[i];
            squares += (long long)in[i] * in[i];
            if (in[i] < least) least = in[least_at = i];
            if (in[i] > largest) largest = in[largest_at = i];
            gcd = Gcd()(gcd, in[i]);
        }
        bool right = sum[0] == all && sum[1] == squares && some[0] == least && some[1] == largest && some[2] == gcd;
        right = right && place[0].key == least_at && place[0].value == least;
        right = right && place[1].key == largest_at && place[1].value == largest;
        printf("%d: %lld, %d to %d, %s\n", n, sum[0], some[0], some[1], right ? "right" : "wrong");
    }

    // Halves are exact in this range.
    float *x, *total;
    cudaMallocManaged(&x, 5000 * sizeof(float));
    cudaMallocManaged(&total, 2 * sizeof(float));
    for (int i = 0; i < 5000; i++) x[i] = 0.5f * (i % 9) - 2;
    TWICE(cub::DeviceReduce::Sum, x, total, 5000);
    cub::CountingInputIterator<int> count(0);
    cub::TransformInputIterator<long long, Square, cub::CountingInputIterator<int>> squares(count, Square());
    TWICE(cub::DeviceReduce::Sum, squares, sum, 1000);
    cudaDeviceSynchronize();
    float wanted = 0;
    for (int i = 0; i < 5000; i++) wanted += x[i];
    printf("%g %g, %lld %lld\n", *total, wanted, *sum, 999LL * 1000 * 1999 / 6);

    // Runs of equal keys, of which one goes over many blocks; and segments, of which some are empty.
    const int n = 60000;
    std::vector<int> lengths, segments = {0};
    int *keys, *unique, *offsets, *of_segments;
    long long *sums;
    cudaMallocManaged(&keys, n * sizeof(int));
    cudaMallocManaged(&unique, n * sizeof(int));
    cudaMallocManaged(&sums, n * sizeof(long long));
    for (int at = 0; at < n;) {
        int length = lengths.size() == 5 ? 30000 : 1 + (int)lengths.size() * 37 % 101;
        length = length < n - at ? length : n - at;
        for (int i = at; i < at + length; i++) keys[i] = lengths.size() % 3;
        lengths.push_back(length);
        at += length;
        segments.push_back(at);
        if (lengths.size() % 4 == 0) segments.push_back(at);
    }
    TWICE(cub::DeviceReduce::ReduceByKey, keys, unique, in, sums, some, cub::Sum(), n);
    int parts = segments.size() - 1;
    cudaMallocManaged(&offsets, (parts + 1) * sizeof(int));
    cudaMallocManaged(&of_segments, 2 * parts * sizeof(int));
    for (int i = 0; i <= parts; i++) offsets[i] = segments[i];
    TWICE(cub::DeviceSegmentedReduce::Sum, in, of_segments, parts, offsets, offsets + 1);
    TWICE(cub::DeviceSegmentedReduce::Max, in, of_segments + parts, parts, offsets, offsets + 1);
    cudaDeviceSynchronize();
    int wrong = *some != (int)lengths.size(), at = 0;
    for (int run = 0; run < *some; run++) {
        long long sum = 0;
        for (int i = 0; i < lengths[run]; i++) sum += in[at++];
        wrong += unique[run] != run % 3 || sums[run] != sum;
    }
    for (int part = 0; part < parts; part++) {
        int sum = 0, largest = INT_MIN;
        for (int i = segments[part]; i < segments[part + 1]; i++) {
            sum += in[i];
            largest = in[i] > largest ? in[i] : largest;
        }
        wrong += of_segments[part] != sum || of_segments[parts + part] != largest;
    }
    printf("%d runs, %d segments, %d wrong\n", *some, parts, wrong);
    for (int *p : {in, some, keys, unique, offsets, of_segments}) cudaFree(p);
    cudaFree(sum), cudaFree(place), cudaFree(x), cudaFree(total), cudaFree(sums);
}
