// How many samples fall between levels: of one sequence, or of several channels that alternate.
#pragma once
#include <cub/device/temporary_storage.cuh>

namespace cub {
namespace detail {

// Bins of equal width; the last level is above all of them.
template <class L>
struct even_bins {
    L lower, upper;
    int bins;
    even_bins() = default;
    even_bins(L from, L to, int levels) : lower(from), upper(to), bins(levels - 1) {}
    // The number of a sample's bin, or -1.
    template <class S>
    constexpr int operator()(S sample) const {
        using T = std::common_type_t<L, S>;
        T value = T(sample), low = T(lower), high = T(upper);
        if (!(value >= low && value < high)) return -1;
        if constexpr (std::is_integral_v<T>)
            return int(static_cast<unsigned long long>(value - low) * bins /
                       static_cast<unsigned long long>(high - low));
        else
            return int((value - low) * (T(bins) / (high - low)));
    }
};

// Bins between levels that rise; they lie in device memory.
template <class L>
struct range_bins {
    const L *levels;
    int bins;
    range_bins() = default;
    range_bins(const L *its, int count) : levels(its), bins(count - 1) {}
    template <class S>
    constexpr int operator()(S sample) const {
        int from = 0, to = bins + 1;
        while (from < to) {
            int middle = (from + to) / 2;
            if (sample < levels[middle])
                to = middle;
            else
                from = middle + 1;
        }
        return from <= bins ? from - 1 : -1;
    }
};

// The histograms of some channels.
template <int active, class C, class B>
struct histograms {
    C *counts[active];
    B bins[active];
};

} // namespace detail

template <int active, class C, class B>
__global__ void DeviceHistogramInitKernel(detail::histograms<active, C, B> its) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int channel = 0; channel < active; channel++)
        if (i < its.bins[channel].bins) its.counts[channel][i] = 0;
}

// Each block counts in shared memory if `in_shared`, and adds its counts to those of the others.
template <int channels, int active, class I, class C, class B>
__global__ void DeviceHistogramSweepKernel(I samples, size_t columns, size_t rows, size_t row, bool in_shared,
                                           detail::histograms<active, C, B> its) {
    extern __shared__ unsigned cub_histogram[];
    unsigned *here = cub_histogram;
    for (int channel = 0; in_shared && channel < active; here += its.bins[channel++].bins)
        for (unsigned i = threadIdx.x; i < its.bins[channel].bins; i += blockDim.x) here[i] = 0;
    __syncthreads();
    size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < columns * rows; i += step) {
        auto pixel = samples + (i / columns * row + i % columns * channels);
        here = cub_histogram;
        for (int channel = 0; channel < active; here += its.bins[channel++].bins) {
            int bin = its.bins[channel](*(pixel + channel));
            if (bin < 0) continue;
            if (in_shared)
                atomicAdd(here + bin, 1u);
            else
                atomicAdd(its.counts[channel] + bin, C(1));
        }
    }
    __syncthreads();
    here = cub_histogram;
    for (int channel = 0; in_shared && channel < active; here += its.bins[channel++].bins)
        for (unsigned i = threadIdx.x; i < its.bins[channel].bins; i += blockDim.x)
            if (here[i] > 0) atomicAdd(its.counts[channel] + i, C(here[i]));
}

struct DeviceHistogram {
    template <class I, class C, class L>
    static cudaError_t HistogramEven(void *d_temp_storage, size_t &temp_storage_bytes, I d_samples, C *d_histogram,
                                     int num_levels, L lower_level, L upper_level, ptrdiff_t num_samples,
                                     cudaStream_t stream = 0) {
        return HistogramEven(d_temp_storage, temp_storage_bytes, d_samples, d_histogram, num_levels, lower_level,
                             upper_level, num_samples, 1, 0, stream);
    }
    template <class I, class C, class L>
    static cudaError_t HistogramEven(void *d_temp_storage, size_t &temp_storage_bytes, I d_samples, C *d_histogram,
                                     int num_levels, L lower_level, L upper_level, ptrdiff_t num_row_samples,
                                     ptrdiff_t num_rows, size_t row_stride_bytes, cudaStream_t stream = 0) {
        return count<1, 1>(
            {"cub::DeviceHistogram::HistogramEven", d_temp_storage, temp_storage_bytes, stream}, d_samples,
            &d_histogram, [=](int) { return detail::even_bins<L>(lower_level, upper_level, num_levels); },
            num_row_samples, num_rows, row_stride_bytes);
    }
    template <int channels, int active, class I, class C, class L>
    static cudaError_t MultiHistogramEven(void *d_temp_storage, size_t &temp_storage_bytes, I d_samples,
                                          C *d_histogram[active], const int num_levels[active],
                                          const L lower_level[active], const L upper_level[active],
                                          ptrdiff_t num_pixels, cudaStream_t stream = 0) {
        return MultiHistogramEven<channels, active>(d_temp_storage, temp_storage_bytes, d_samples, d_histogram,
                                                    num_levels, lower_level, upper_level, num_pixels, 1, 0, stream);
    }
    template <int channels, int active, class I, class C, class L>
    static cudaError_t MultiHistogramEven(void *d_temp_storage, size_t &temp_storage_bytes, I d_samples,
                                          C *d_histogram[active], const int num_levels[active],
                                          const L lower_level[active], const L upper_level[active],
                                          ptrdiff_t num_row_pixels, ptrdiff_t num_rows, size_t row_stride_bytes,
                                          cudaStream_t stream = 0) {
        auto bins = [=](int i) { return detail::even_bins<L>(lower_level[i], upper_level[i], num_levels[i]); };
        return count<channels, active>(
            {"cub::DeviceHistogram::MultiHistogramEven", d_temp_storage, temp_storage_bytes, stream}, d_samples,
            d_histogram, bins, num_row_pixels, num_rows, row_stride_bytes);
    }
    template <class I, class C, class L>
    static cudaError_t HistogramRange(void *d_temp_storage, size_t &temp_storage_bytes, I d_samples, C *d_histogram,
                                      int num_levels, const L *d_levels, ptrdiff_t num_samples,
                                      cudaStream_t stream = 0) {
        return HistogramRange(d_temp_storage, temp_storage_bytes, d_samples, d_histogram, num_levels, d_levels,
                              num_samples, 1, 0, stream);
    }
    template <class I, class C, class L>
    static cudaError_t HistogramRange(void *d_temp_storage, size_t &temp_storage_bytes, I d_samples, C *d_histogram,
                                      int num_levels, const L *d_levels, ptrdiff_t num_row_samples, ptrdiff_t num_rows,
                                      size_t row_stride_bytes, cudaStream_t stream = 0) {
        return count<1, 1>(
            {"cub::DeviceHistogram::HistogramRange", d_temp_storage, temp_storage_bytes, stream}, d_samples,
            &d_histogram, [=](int) { return detail::range_bins<L>(d_levels, num_levels); }, num_row_samples, num_rows,
            row_stride_bytes);
    }
    template <int channels, int active, class I, class C, class L>
    static cudaError_t MultiHistogramRange(void *d_temp_storage, size_t &temp_storage_bytes, I d_samples,
                                           C *d_histogram[active], const int num_levels[active],
                                           const L *const d_levels[active], ptrdiff_t num_pixels,
                                           cudaStream_t stream = 0) {
        auto bins = [=](int i) { return detail::range_bins<L>(d_levels[i], num_levels[i]); };
        return count<channels, active>(
            {"cub::DeviceHistogram::MultiHistogramRange", d_temp_storage, temp_storage_bytes, stream}, d_samples,
            d_histogram, bins, num_pixels, 1, 0);
    }

  private:
    // `bins_of(i)` are the bins of channel i; a row begins `stride` bytes after the one before it.
    template <int channels, int active, class I, class C, class Bins>
    static cudaError_t count(detail::temporary_storage storage, I d_samples, C *const *d_histogram, Bins bins_of,
                             size_t columns, size_t rows, size_t stride) {
        constexpr unsigned threads = detail::block_threads, most_in_shared = 2048;
        if (!storage.suffices(d_histogram[0])) return storage.error;
        detail::histograms<active, C, decltype(bins_of(0))> its;
        unsigned all = 0, most = 0;
        for (int i = 0; i < active; i++) {
            its.counts[i] = d_histogram[i];
            its.bins[i] = bins_of(i);
            unsigned bins = its.bins[i].bins;
            all += bins;
            most = bins > most ? bins : most;
        }
        bool in_shared = all <= most_in_shared;
        DeviceHistogramInitKernel<<<detail::blocks_for(most, threads, 1 << 20), threads, 0, storage.stream>>>(its);
        if (columns * rows > 0) {
            DeviceHistogramSweepKernel<channels, active>
                <<<detail::blocks_for(columns * rows, 4 * threads, 1024), threads,
                   in_shared ? all * sizeof(unsigned) : 0, storage.stream>>>(
                    detail::raw(d_samples), columns, rows, stride / sizeof(detail::value_of<I>), in_shared, its);
        }
        return detail::finished();
    }
};

} // namespace cub
