// The elements that are flagged, pass a test or begin a run, one after the other.
#pragma once
#include <cub/device/device_scan.cuh>

namespace cub {

// A sequence next to the one that is to be changed.
template <class I, class T>
__global__ void DeviceSelectCopyKernel(I in, size_t n, T *out) {
    size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) out[i] = *(in + i);
}

namespace detail {

// Counts the elements for which `takes(i)` holds; `keep(i, place)` and `pass(i, place)` get those for which it does and
// does not, each with its place among its like.
template <class C, class Takes, class Keep, class Pass>
void compact(const shares<unsigned> &its, Takes takes, Keep keep, Pass pass, C count) {
    size_t n = its.n;
    if (n == 0) DeviceCompactInitKernel<<<1, 1, 0, its.stream>>>(count);
    auto load = [=](size_t i) mutable { return takes(i) ? 1u : 0u; };
    auto store = [=](size_t i, const unsigned *before, const unsigned &all) {
        unsigned place = *before;
        if (all != place)
            keep(i, place);
        else
            pass(i, i - place);
        if (i + 1 == n) *count = all;
    };
    scan_shares(its, load, plus(), true, 0u, store);
}

template <class I, class O, class C, class Takes>
cudaError_t select(temporary_storage storage, I d_in, O d_out, C d_num_selected_out, size_t n, Takes takes) {
    shares<unsigned> its(storage, n);
    if (!storage.suffices(d_out)) return storage.error;
    auto in = raw(d_in);
    auto out = raw(d_out);
    storage.must_not_overlap(in, n, out);
    compact(
        its, takes, [=](size_t i, size_t place) { *(out + place) = *(in + i); }, [](size_t, size_t) {},
        raw(d_num_selected_out));
    return finished();
}

// The same in place: what is selected comes from a copy.
template <class I, class C, class Flag>
cudaError_t select_in_place(temporary_storage storage, I d_data, C d_num_selected_out, size_t n, Flag flag) {
    using V = value_of<I>;
    shares<unsigned> its(storage, n);
    V *copy = storage.part<V>(n);
    if (!storage.suffices(d_data)) return storage.error;
    auto data = raw(d_data);
    unsigned blocks = blocks_for(n, 4 * block_threads, 1 << 16);
    DeviceSelectCopyKernel<<<blocks, block_threads, 0, storage.stream>>>(data, n, copy);
    compact(
        its, [=](size_t i) mutable { return flag(i, copy[i]); },
        [=](size_t i, size_t place) { *(data + place) = copy[i]; }, [](size_t, size_t) {}, raw(d_num_selected_out));
    return finished();
}

} // namespace detail

struct DeviceSelect {
    template <class I, class G, class O, class C>
    static cudaError_t Flagged(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, G d_flags, O d_out,
                               C d_num_selected_out, ptrdiff_t num_items, cudaStream_t stream = 0) {
        auto flags = detail::raw(d_flags);
        return detail::select({"cub::DeviceSelect::Flagged", d_temp_storage, temp_storage_bytes, stream}, d_in, d_out,
                              d_num_selected_out, num_items, [=](size_t i) { return bool(*(flags + i)); });
    }
    template <class I, class G, class C>
    static cudaError_t Flagged(void *d_temp_storage, size_t &temp_storage_bytes, I d_data, G d_flags,
                               C d_num_selected_out, ptrdiff_t num_items, cudaStream_t stream = 0) {
        auto flags = detail::raw(d_flags);
        return detail::select_in_place({"cub::DeviceSelect::Flagged", d_temp_storage, temp_storage_bytes, stream},
                                       d_data, d_num_selected_out, num_items,
                                       [=](size_t i, const auto &) { return bool(*(flags + i)); });
    }
    template <class I, class O, class C, class Test>
    static cudaError_t If(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, C d_num_selected_out,
                          ptrdiff_t num_items, Test select_op, cudaStream_t stream = 0) {
        auto in = detail::raw(d_in);
        auto takes = [=](size_t i) mutable { return bool(select_op(*(in + i))); };
        return detail::select({"cub::DeviceSelect::If", d_temp_storage, temp_storage_bytes, stream}, d_in, d_out,
                              d_num_selected_out, num_items, takes);
    }
    template <class I, class C, class Test>
    static cudaError_t If(void *d_temp_storage, size_t &temp_storage_bytes, I d_data, C d_num_selected_out,
                          ptrdiff_t num_items, Test select_op, cudaStream_t stream = 0) {
        auto takes = [=](size_t, const auto &value) mutable { return bool(select_op(value)); };
        return detail::select_in_place({"cub::DeviceSelect::If", d_temp_storage, temp_storage_bytes, stream}, d_data,
                                       d_num_selected_out, num_items, takes);
    }
    template <class I, class G, class O, class C, class Test>
    static cudaError_t FlaggedIf(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, G d_flags, O d_out,
                                 C d_num_selected_out, ptrdiff_t num_items, Test select_op, cudaStream_t stream = 0) {
        auto flags = detail::raw(d_flags);
        auto takes = [=](size_t i) mutable { return bool(select_op(*(flags + i))); };
        return detail::select({"cub::DeviceSelect::FlaggedIf", d_temp_storage, temp_storage_bytes, stream}, d_in, d_out,
                              d_num_selected_out, num_items, takes);
    }
    template <class I, class O, class C>
    static cudaError_t Unique(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, C d_num_selected_out,
                              ptrdiff_t num_items, cudaStream_t stream = 0) {
        auto in = detail::raw(d_in);
        return detail::select({"cub::DeviceSelect::Unique", d_temp_storage, temp_storage_bytes, stream}, d_in, d_out,
                              d_num_selected_out, num_items, detail::begins_run<decltype(in), detail::same>{in, {}});
    }
    template <class K, class I, class KO, class O, class C>
    static cudaError_t UniqueByKey(void *d_temp_storage, size_t &temp_storage_bytes, K d_keys_in, I d_values_in,
                                   KO d_keys_out, O d_values_out, C d_num_selected_out, ptrdiff_t num_items,
                                   cudaStream_t stream = 0) {
        detail::temporary_storage storage("cub::DeviceSelect::UniqueByKey", d_temp_storage, temp_storage_bytes, stream);
        detail::shares<unsigned> its(storage, num_items);
        if (!storage.suffices(d_keys_out)) return storage.error;
        auto keys = detail::raw(d_keys_in);
        auto values = detail::raw(d_values_in);
        auto keys_out = detail::raw(d_keys_out);
        auto values_out = detail::raw(d_values_out);
        storage.must_not_overlap(keys, num_items, keys_out);
        storage.must_not_overlap(values, num_items, values_out);
        auto keep = [=](size_t i, size_t place) {
            *(keys_out + place) = *(keys + i);
            *(values_out + place) = *(values + i);
        };
        detail::compact(
            its, detail::begins_run<decltype(keys), detail::same>{keys, {}}, keep, [](size_t, size_t) {},
            detail::raw(d_num_selected_out));
        return detail::finished();
    }
};

} // namespace cub
