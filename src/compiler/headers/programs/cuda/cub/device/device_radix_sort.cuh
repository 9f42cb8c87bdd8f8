// Sorting by the digits of keys, the lowest first: each block counts the digits in its share of the keys, one block
// finds where each block's keys of a digit begin, then each block puts its keys there, those of a digit in order.
#pragma once
#include <cub/device/temporary_storage.cuh>

namespace cub {
namespace detail {

constexpr int radix_bits = 8;
constexpr unsigned radix_digits = 1 << radix_bits, radix_warps = block_threads / 32, radix_blocks = 128;
static_assert(radix_digits == block_threads, "a thread for each digit");

// The shares of the blocks: whole tiles, of a key for each thread.
struct radix_shares {
    size_t items;
    unsigned count;
    explicit radix_shares(size_t n) {
        size_t tiles = (n + block_threads - 1) / block_threads;
        size_t each = (tiles + radix_blocks - 1) / radix_blocks;
        items = (each < 4 ? 4 : each) * block_threads;
        count = blocks_for(n, items, radix_blocks);
    }
};

// A digit of a key: `bits` of them from `bit` on, as their order is to be.
template <class K>
struct digit_of {
    int bit, bits;
    bool descending;
    constexpr unsigned operator()(K key) const {
        using U = typename Traits<K>::UnsignedBits;
        U raw = reinterpret_cast<const U &>(key);
        constexpr U sign = U(1) << (8 * sizeof(U) - 1);
        // The two zeros of a floating-point type are one key.
        if (Traits<K>::CATEGORY == FLOATING_POINT && raw == sign) raw = 0;
        U ordered = Traits<K>::TwiddleIn(raw);
        if (descending) ordered = ~ordered;
        return unsigned(ordered >> bit) & ((1u << bits) - 1);
    }
};

} // namespace detail

template <class K>
__global__ void DeviceRadixSortUpsweepKernel(const K *keys, size_t n, size_t share, unsigned *counts,
                                             detail::digit_of<K> digit) {
    __shared__ unsigned here[detail::radix_digits];
    size_t start = blockIdx.x * share, end = start + share < n ? start + share : n;
    unsigned t = threadIdx.x;
    here[t] = 0;
    __syncthreads();
    for (size_t i = start + t; i < end; i += blockDim.x) atomicAdd(here + digit(keys[i]), 1u);
    __syncthreads();
    counts[t * gridDim.x + blockIdx.x] = here[t];
}

// From how many keys each block has of each digit to where they begin; a thread for each digit.
template <class C>
__global__ void RadixSortScanBinsKernel(C *counts, unsigned blocks) {
    __shared__ C sums[detail::radix_digits];
    unsigned t = threadIdx.x;
    C sum = 0;
    for (unsigned i = 0; i < blocks; i++) sum += counts[t * blocks + i];
    sums[t] = sum;
    __syncthreads();
    for (unsigned by = 1; by < blockDim.x; by *= 2) {
        C left = t >= by ? sums[t - by] : 0;
        __syncthreads();
        sums[t] += left;
        __syncthreads();
    }
    C place = sums[t] - sum;
    for (unsigned i = 0; i < blocks; i++) {
        C count = counts[t * blocks + i];
        counts[t * blocks + i] = place;
        place += count;
    }
}

template <class K, class V>
__global__ void DeviceRadixSortDownsweepKernel(const K *keys, K *keys_out, const V *values, V *values_out, size_t n,
                                               size_t share, const unsigned *counts, detail::digit_of<K> digit) {
    // Where the next key of each digit goes: of the block, and of each warp in this tile.
    __shared__ unsigned next[detail::radix_digits], of_warps[detail::radix_warps][detail::radix_digits];
    size_t start = blockIdx.x * share, end = start + share < n ? start + share : n;
    unsigned t = threadIdx.x, warp = t / 32, lane = t % 32;
    next[t] = counts[t * gridDim.x + blockIdx.x];
    for (size_t at = start; at < end; at += blockDim.x) {
        for (unsigned w = 0; w < detail::radix_warps; w++) of_warps[w][t] = 0;
        __syncthreads();
        size_t i = at + t;
        bool some = i < end;
        K key{};
        unsigned d = 0, before = 0, takers = __ballot_sync(~0u, some);
        if (some) {
            key = keys[i];
            d = digit(key);
            unsigned alike = __match_any_sync(takers, d);
            before = __popc(alike & ((1u << lane) - 1));
            if (before == 0) of_warps[warp][d] = __popc(alike);
        }
        __syncthreads();
        unsigned place = next[t];
        for (unsigned w = 0; w < detail::radix_warps; w++) {
            unsigned count = of_warps[w][t];
            of_warps[w][t] = place;
            place += count;
        }
        next[t] = place;
        __syncthreads();
        if (some) {
            unsigned to = of_warps[warp][d] + before;
            keys_out[to] = key;
            if constexpr (!std::is_same_v<V, detail::no_value>) values_out[to] = values[i];
        }
        __syncthreads();
    }
}

namespace detail {

template <class K, class V>
struct radix_sort {
    static constexpr bool has_values = !std::is_same_v<V, no_value>;
    temporary_storage storage;
    size_t n;
    int begin_bit, end_bit;
    bool descending;

    int passes() const { return (end_bit - begin_bit + radix_bits - 1) / radix_bits; }

    // Sorts by one digit after the other, from `keys[0]` to `keys[1]`, from there to `keys[2]` and back.
    void sort(K *const keys[3], V *const values[3], unsigned *counts) const {
        radix_shares its(n);
        int from = 0, to = 1;
        for (int bit = begin_bit; bit < end_bit; bit += radix_bits) {
            digit_of<K> digit{bit, end_bit - bit < radix_bits ? end_bit - bit : radix_bits, descending};
            DeviceRadixSortUpsweepKernel<<<its.count, block_threads, 0, storage.stream>>>(
                static_cast<const K *>(keys[from]), n, its.items, counts, digit);
            RadixSortScanBinsKernel<<<1, block_threads, 0, storage.stream>>>(counts, its.count);
            DeviceRadixSortDownsweepKernel<<<its.count, block_threads, 0, storage.stream>>>(
                static_cast<const K *>(keys[from]), keys[to], static_cast<const V *>(values[from]), values[to], n,
                its.items, static_cast<const unsigned *>(counts), digit);
            from = to;
            to = 3 - to;
        }
    }

    // The input stays as it is: where more than one pass is needed, another copy is in the temporary storage.
    cudaError_t from_to(const K *keys_in, K *keys_out, const V *values_in, V *values_out) {
        bool once = passes() <= 1, odd = passes() % 2 == 1;
        unsigned *counts = storage.part<unsigned>(radix_digits * radix_shares(n).count);
        K *keys = storage.part<K>(once ? 0 : n);
        V *values = storage.part<V>(once || !has_values ? 0 : n);
        if (!storage.suffices(keys_out)) return storage.error;
        if (n == 0) return finished();
        storage.must_not_overlap(keys_in, n, keys_out);
        if (has_values) storage.must_not_overlap(values_in, n, values_out);
        if (passes() == 0) {
            cudaMemcpyAsync(keys_out, keys_in, n * sizeof(K), cudaMemcpyDeviceToDevice, storage.stream);
            if (has_values)
                cudaMemcpyAsync(values_out, values_in, n * sizeof(V), cudaMemcpyDeviceToDevice, storage.stream);
            return finished();
        }
        // The last pass writes the output.
        K *const all_keys[3] = {const_cast<K *>(keys_in), odd ? keys_out : keys, odd ? keys : keys_out};
        V *const all_values[3] = {const_cast<V *>(values_in), odd ? values_out : values, odd ? values : values_out};
        sort(all_keys, all_values, counts);
        return finished();
    }

    // Back and forth between the program's own buffers.
    cudaError_t in_turns(DoubleBuffer<K> &keys, DoubleBuffer<V> &values) {
        unsigned *counts = storage.part<unsigned>(radix_digits * radix_shares(n).count);
        if (!storage.suffices(keys.Current())) return storage.error;
        K *const all_keys[3] = {keys.Current(), keys.Alternate(), keys.Current()};
        V *const all_values[3] = {values.Current(), values.Alternate(), values.Current()};
        if (n > 0) sort(all_keys, all_values, counts);
        keys.selector ^= passes() % 2;
        values.selector ^= passes() % 2;
        return finished();
    }
};

} // namespace detail

struct DeviceRadixSort {
    template <class K>
    static cudaError_t SortKeys(void *d_temp_storage, size_t &temp_storage_bytes, const K *d_keys_in, K *d_keys_out,
                                ptrdiff_t num_items, int begin_bit = 0, int end_bit = sizeof(K) * 8,
                                cudaStream_t stream = 0) {
        return detail::radix_sort<K, detail::no_value>{
            {"cub::DeviceRadixSort::SortKeys", d_temp_storage, temp_storage_bytes, stream},
            size_t(num_items), begin_bit, end_bit, false}.from_to(d_keys_in, d_keys_out, nullptr, nullptr);
    }
    template <class K>
    static cudaError_t SortKeys(void *d_temp_storage, size_t &temp_storage_bytes, DoubleBuffer<K> &d_keys,
                                ptrdiff_t num_items, int begin_bit = 0, int end_bit = sizeof(K) * 8,
                                cudaStream_t stream = 0) {
        DoubleBuffer<detail::no_value> none;
        return detail::radix_sort<K, detail::no_value>{
            {"cub::DeviceRadixSort::SortKeys", d_temp_storage, temp_storage_bytes, stream},
            size_t(num_items), begin_bit, end_bit, false}.in_turns(d_keys, none);
    }
    template <class K>
    static cudaError_t SortKeysDescending(void *d_temp_storage, size_t &temp_storage_bytes, const K *d_keys_in,
                                          K *d_keys_out, ptrdiff_t num_items, int begin_bit = 0,
                                          int end_bit = sizeof(K) * 8, cudaStream_t stream = 0) {
        return detail::radix_sort<K, detail::no_value>{
            {"cub::DeviceRadixSort::SortKeysDescending", d_temp_storage, temp_storage_bytes, stream},
            size_t(num_items), begin_bit, end_bit, true}.from_to(d_keys_in, d_keys_out, nullptr, nullptr);
    }
    template <class K>
    static cudaError_t SortKeysDescending(void *d_temp_storage, size_t &temp_storage_bytes, DoubleBuffer<K> &d_keys,
                                          ptrdiff_t num_items, int begin_bit = 0, int end_bit = sizeof(K) * 8,
                                          cudaStream_t stream = 0) {
        DoubleBuffer<detail::no_value> none;
        return detail::radix_sort<K, detail::no_value>{
            {"cub::DeviceRadixSort::SortKeysDescending", d_temp_storage, temp_storage_bytes, stream},
            size_t(num_items), begin_bit, end_bit, true}.in_turns(d_keys, none);
    }
    template <class K, class V>
    static cudaError_t SortPairs(void *d_temp_storage, size_t &temp_storage_bytes, const K *d_keys_in, K *d_keys_out,
                                 const V *d_values_in, V *d_values_out, ptrdiff_t num_items, int begin_bit = 0,
                                 int end_bit = sizeof(K) * 8, cudaStream_t stream = 0) {
        return detail::radix_sort<K, V>{
            {"cub::DeviceRadixSort::SortPairs", d_temp_storage, temp_storage_bytes, stream},
            size_t(num_items), begin_bit, end_bit, false}.from_to(d_keys_in, d_keys_out, d_values_in, d_values_out);
    }
    template <class K, class V>
    static cudaError_t SortPairs(void *d_temp_storage, size_t &temp_storage_bytes, DoubleBuffer<K> &d_keys,
                                 DoubleBuffer<V> &d_values, ptrdiff_t num_items, int begin_bit = 0,
                                 int end_bit = sizeof(K) * 8, cudaStream_t stream = 0) {
        return detail::radix_sort<K, V>{
            {"cub::DeviceRadixSort::SortPairs", d_temp_storage, temp_storage_bytes, stream},
            size_t(num_items), begin_bit, end_bit, false}.in_turns(d_keys, d_values);
    }
    template <class K, class V>
    static cudaError_t SortPairsDescending(void *d_temp_storage, size_t &temp_storage_bytes, const K *d_keys_in,
                                           K *d_keys_out, const V *d_values_in, V *d_values_out, ptrdiff_t num_items,
                                           int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = 0) {
        return detail::radix_sort<K, V>{
            {"cub::DeviceRadixSort::SortPairsDescending", d_temp_storage, temp_storage_bytes, stream},
            size_t(num_items), begin_bit, end_bit, true}.from_to(d_keys_in, d_keys_out, d_values_in, d_values_out);
    }
    template <class K, class V>
    static cudaError_t SortPairsDescending(void *d_temp_storage, size_t &temp_storage_bytes, DoubleBuffer<K> &d_keys,
                                           DoubleBuffer<V> &d_values, ptrdiff_t num_items, int begin_bit = 0,
                                           int end_bit = sizeof(K) * 8, cudaStream_t stream = 0) {
        return detail::radix_sort<K, V>{
            {"cub::DeviceRadixSort::SortPairsDescending", d_temp_storage, temp_storage_bytes, stream},
            size_t(num_items), begin_bit, end_bit, true}.in_turns(d_keys, d_values);
    }
};

} // namespace cub
