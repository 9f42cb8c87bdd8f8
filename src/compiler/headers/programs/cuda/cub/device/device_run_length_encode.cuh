// Runs of equal elements.
#pragma once
#include <cub/device/device_reduce.cuh>
#include <cub/iterator/constant_input_iterator.cuh>

namespace cub {

struct DeviceRunLengthEncode {
    template <class I, class U, class L, class C>
    static cudaError_t Encode(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, U d_unique_out, L d_counts_out,
                              C d_num_runs_out, ptrdiff_t num_items, cudaStream_t stream = 0) {
        using V = detail::written<L, const int *>;
        return detail::reduce_by_key<V>(
            {"cub::DeviceRunLengthEncode::Encode", d_temp_storage, temp_storage_bytes, stream}, d_in, d_unique_out,
            ConstantInputIterator<V>(V(1)), d_counts_out, d_num_runs_out, detail::plus(), num_items);
    }
    // Where runs of more than one element begin, and their lengths.
    template <class I, class S, class L, class C>
    static cudaError_t NonTrivialRuns(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, S d_offsets_out,
                                      L d_lengths_out, C d_num_runs_out, ptrdiff_t num_items, cudaStream_t stream = 0) {
        // How many such runs begin, and where the last run of any length does.
        using T = detail::runs<size_t>;
        detail::temporary_storage storage("cub::DeviceRunLengthEncode::NonTrivialRuns", d_temp_storage,
                                          temp_storage_bytes, stream);
        detail::shares<T> its(storage, num_items);
        if (!storage.suffices(d_offsets_out)) return storage.error;
        size_t n = num_items;
        auto in = detail::raw(d_in);
        auto offsets = detail::raw(d_offsets_out);
        auto lengths = detail::raw(d_lengths_out);
        auto count = detail::raw(d_num_runs_out);
        detail::begins_run<decltype(in), detail::same> begins{in, {}};
        auto load = [=](size_t i) {
            bool first = begins(i);
            return T{first && i + 1 < n && !begins(i + 1), first ? i : 0};
        };
        auto join = [](const T &a, const T &b) { return T{a.begin + b.begin, a.sum > b.sum ? a.sum : b.sum}; };
        auto store = [=](size_t i, const T *, const T &all) {
            bool ends = i + 1 == n || begins(i + 1);
            if (ends && i > all.sum) {
                *(offsets + (all.begin - 1)) = all.sum;
                *(lengths + (all.begin - 1)) = i + 1 - all.sum;
            }
            if (i + 1 == n) *count = all.begin;
        };
        if (n == 0) DeviceCompactInitKernel<<<1, 1, 0, stream>>>(count);
        detail::scan_shares(its, load, join, false, T(), store);
        return detail::finished();
    }
};

} // namespace cub
