// Sorting by a comparison: runs of twice the length are merged until one is left.
#pragma once
#include <cub/device/temporary_storage.cuh>
#include <thrust/detail/sort.h>

namespace cub {

// Merges pairs of sorted runs: each key goes behind those of the other run that come before it.
template <class K, class V, class Less>
__global__ void DeviceMergeSortMergeKernel(const K *keys, K *keys_out, const V *values, V *values_out, size_t n,
                                           size_t width, Less less) {
    size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        size_t pair = i / (2 * width) * (2 * width), middle = pair + width < n ? pair + width : n;
        size_t end = pair + 2 * width < n ? pair + 2 * width : n;
        K key = keys[i];
        // Of equal keys those of the left run stay in front.
        size_t place = i < middle
                           ? i + thrust::detail::rank_of(keys + middle, end - middle, key, less, false)
                           : i - middle + pair + thrust::detail::rank_of(keys + pair, middle - pair, key, less, true);
        keys_out[place] = key;
        if constexpr (!std::is_same_v<V, detail::no_value>) values_out[place] = values[i];
    }
}

struct DeviceMergeSort {
    template <class K, class Less>
    static cudaError_t SortKeys(void *d_temp_storage, size_t &temp_storage_bytes, K d_keys, ptrdiff_t num_items,
                                Less compare_op, cudaStream_t stream = 0) {
        return sort({"cub::DeviceMergeSort::SortKeys", d_temp_storage, temp_storage_bytes, stream}, detail::raw(d_keys),
                    static_cast<detail::no_value *>(nullptr), num_items, compare_op);
    }
    template <class K, class Less>
    static cudaError_t StableSortKeys(void *d_temp_storage, size_t &temp_storage_bytes, K d_keys, ptrdiff_t num_items,
                                      Less compare_op, cudaStream_t stream = 0) {
        return sort({"cub::DeviceMergeSort::StableSortKeys", d_temp_storage, temp_storage_bytes, stream},
                    detail::raw(d_keys), static_cast<detail::no_value *>(nullptr), num_items, compare_op);
    }
    template <class K, class V, class Less>
    static cudaError_t SortPairs(void *d_temp_storage, size_t &temp_storage_bytes, K d_keys, V d_items,
                                 ptrdiff_t num_items, Less compare_op, cudaStream_t stream = 0) {
        return sort({"cub::DeviceMergeSort::SortPairs", d_temp_storage, temp_storage_bytes, stream},
                    detail::raw(d_keys), detail::raw(d_items), num_items, compare_op);
    }
    template <class K, class V, class Less>
    static cudaError_t StableSortPairs(void *d_temp_storage, size_t &temp_storage_bytes, K d_keys, V d_items,
                                       ptrdiff_t num_items, Less compare_op, cudaStream_t stream = 0) {
        return sort({"cub::DeviceMergeSort::StableSortPairs", d_temp_storage, temp_storage_bytes, stream},
                    detail::raw(d_keys), detail::raw(d_items), num_items, compare_op);
    }

  private:
    template <class K, class V, class Less>
    static cudaError_t sort(detail::temporary_storage storage, K *keys, V *values, size_t n, Less less) {
        constexpr bool has_values = !std::is_same_v<V, detail::no_value>;
        K *other = storage.part<K>(n);
        V *other_values = storage.part<V>(has_values ? n : 0);
        if (!storage.suffices(keys)) return storage.error;
        K *all[2] = {keys, other};
        V *all_values[2] = {values, other_values};
        int from = 0;
        for (size_t width = 1; width < n; width *= 2, from = 1 - from) {
            unsigned blocks = detail::blocks_for(n, detail::block_threads, 1 << 20);
            DeviceMergeSortMergeKernel<<<blocks, detail::block_threads, 0, storage.stream>>>(
                static_cast<const K *>(all[from]), all[1 - from], static_cast<const V *>(all_values[from]),
                all_values[1 - from], n, width, less);
        }
        if (from == 1) {
            cudaMemcpyAsync(keys, other, n * sizeof(K), cudaMemcpyDeviceToDevice, storage.stream);
            if (has_values)
                cudaMemcpyAsync(values, other_values, n * sizeof(V), cudaMemcpyDeviceToDevice, storage.stream);
        }
        return detail::finished();
    }
};

} // namespace cub
