// Histograms of a whole device by CUB: of equal widths, between given levels, of channels that alternate, of rows with
// gaps between them, and of more bins than shared memory has room for.
#include <cub/cub.cuh>
#include <cstdio>
#include <vector>

template <class Call>
void twice(Call call) {
    void *memory = nullptr;
    size_t bytes = 0;
    CubDebugExit(call(memory, bytes));
    cudaMalloc(&memory, bytes);
    CubDebugExit(call(memory, bytes));
    CubDebugExit(cudaDeviceSynchronize());
    cudaFree(memory);
}

int wrong(const std::vector<int> &wanted, const int *found) {
    int bad = 0;
    for (int i = 0; i < (int)wanted.size(); i++) bad += wanted[i] != found[i];
    return bad;
}

int main() {
    const int n = 20000, pixels = n / 4, bins = 10000;
    unsigned char *bytes;
    float *x, *levels;
    int *counts;
    cudaMallocManaged(&bytes, n);
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&levels, 5 * sizeof(float));
    cudaMallocManaged(&counts, bins * sizeof(int));
    for (int i = 0; i < n; i++) {
        bytes[i] = i * i % 251;
        x[i] = (i * 37 % 1024) / 64.0f - 2;
    }
    for (int i = 0; i < 5; i++) levels[i] = i * i - 1.5f;

    twice([=](void *t, size_t &b) { return cub::DeviceHistogram::HistogramEven(t, b, bytes, counts, 257, 0, 256, n); });
    std::vector<int> wanted(256);
    for (int i = 0; i < n; i++) wanted[bytes[i]]++;
    printf("a bin for each byte: %d wrong\n", wrong(wanted, counts));

    twice([=](void *t, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(t, b, x, counts, 9, 0.0f, 8.0f, n);
    });
    wanted.assign(8, 0);
    for (int i = 0; i < n; i++)
        if (x[i] >= 0 && x[i] < 8) wanted[(int)x[i]]++;
    printf("eight bins of width 1: %d wrong\n", wrong(wanted, counts));

    twice([=](void *t, size_t &b) { return cub::DeviceHistogram::HistogramRange(t, b, x, counts, 5, levels, n); });
    wanted.assign(4, 0);
    for (int i = 0; i < n; i++)
        for (int bin = 0; bin < 4; bin++) wanted[bin] += levels[bin] <= x[i] && x[i] < levels[bin + 1];
    printf("between five levels: %d wrong\n", wrong(wanted, counts));

    int *of_channels[3] = {counts, counts + 16, counts + 48}, how_many[3] = {17, 33, 9};
    int lower[3] = {0, 10, 100}, upper[3] = {256, 170, 260};
    twice([=](void *t, size_t &b) mutable {
        return cub::DeviceHistogram::MultiHistogramEven<4, 3>(t, b, bytes, of_channels, how_many, lower, upper, pixels);
    });
    for (int c = 0; c < 3; c++) {
        int width = (upper[c] - lower[c]) / (how_many[c] - 1);
        wanted.assign(how_many[c] - 1, 0);
        for (int i = 0; i < pixels; i++) {
            int sample = bytes[4 * i + c];
            if (sample >= lower[c] && sample < upper[c]) wanted[(sample - lower[c]) / width]++;
        }
        printf("channel %d: %d wrong\n", c, wrong(wanted, of_channels[c]));
    }

    // 40 samples of each row of 50.
    twice([=](void *t, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(t, b, bytes, counts, 6, 0, 250, 40, n / 50, 50);
    });
    wanted.assign(5, 0);
    for (int i = 0; i < n; i++)
        if (i % 50 < 40 && bytes[i] < 250) wanted[bytes[i] / 50]++;
    printf("parts of rows: %d wrong\n", wrong(wanted, counts));

    cub::CountingInputIterator<int> count(5);
    twice([=](void *t, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(t, b, count, counts, bins + 1, 0, 2 * bins, n);
    });
    wanted.assign(bins, 0);
    for (int i = 5; i < n + 5; i++)
        if (i < 2 * bins) wanted[i / 2]++;
    printf("many bins: %d wrong\n", wrong(wanted, counts));
    cudaFree(bytes), cudaFree(x), cudaFree(levels), cudaFree(counts);
}
