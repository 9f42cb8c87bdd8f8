// The elements that are flagged or pass a test in front, and the others behind, from the last place on.
#pragma once
#include <cub/device/device_select.cuh>

namespace cub {

struct DevicePartition {
    template <class I, class G, class O, class C>
    static cudaError_t Flagged(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, G d_flags, O d_out,
                               C d_num_selected_out, ptrdiff_t num_items, cudaStream_t stream = 0) {
        auto flags = detail::raw(d_flags);
        return partition({"cub::DevicePartition::Flagged", d_temp_storage, temp_storage_bytes, stream}, d_in, d_out,
                         d_num_selected_out, num_items, [=](size_t i) { return bool(*(flags + i)); });
    }
    template <class I, class O, class C, class Test>
    static cudaError_t If(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, C d_num_selected_out,
                          ptrdiff_t num_items, Test select_op, cudaStream_t stream = 0) {
        auto in = detail::raw(d_in);
        auto takes = [=](size_t i) mutable { return bool(select_op(*(in + i))); };
        return partition({"cub::DevicePartition::If", d_temp_storage, temp_storage_bytes, stream}, d_in, d_out,
                         d_num_selected_out, num_items, takes);
    }

  private:
    template <class I, class O, class C, class Takes>
    static cudaError_t partition(detail::temporary_storage storage, I d_in, O d_out, C d_num_selected_out, size_t n,
                                 Takes takes) {
        detail::shares<unsigned> its(storage, n);
        if (!storage.suffices(d_out)) return storage.error;
        auto in = detail::raw(d_in);
        auto out = detail::raw(d_out);
        storage.must_not_overlap(in, n, out);
        detail::compact(
            its, takes, [=](size_t i, size_t place) { *(out + place) = *(in + i); },
            [=](size_t i, size_t place) { *(out + (n - 1 - place)) = *(in + i); }, detail::raw(d_num_selected_out));
        return detail::finished();
    }
};

} // namespace cub
