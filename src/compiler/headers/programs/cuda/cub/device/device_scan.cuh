// Running sums of what lies in device memory: each block adds up its share of the elements, one block scans these
// sums, then each block scans its share behind those before it.
#pragma once
#include <cub/device/temporary_storage.cuh>

namespace cub {
namespace detail {

// Elements of a thread: odd, so that the threads of a warp find them in different banks of shared memory.
template <class T>
constexpr unsigned thread_items = sizeof(T) <= 16 ? 5 : 1;
template <class T>
constexpr unsigned tile_items = block_threads * thread_items<T>;

// The shares of at most as many blocks as one can scan, each of whole tiles.
template <class T>
struct shares {
    size_t n, items;
    unsigned count;
    T *sums;
    cudaStream_t stream;
    shares(temporary_storage &storage, size_t all) : n(all), stream(storage.stream) {
        size_t tiles = (n + tile_items<T> - 1) / tile_items<T>;
        items = (tiles > 0 ? (tiles - 1) / block_threads + 1 : 1) * tile_items<T>;
        count = blocks_for(n, items, block_threads);
        sums = storage.part<T>(count);
    }
};

// Running sums of the block's first `active` values, where they lie.
template <class T, class F>
__device__ void scan_block(T *held, unsigned active, F f) {
    unsigned t = threadIdx.x;
    for (unsigned by = 1; by < active; by *= 2) {
        bool adds = t < active && t >= by;
        T left = adds ? held[t - by] : held[0];
        __syncthreads();
        if (adds) held[t] = f(left, held[t]);
        __syncthreads();
    }
}

// Scans a block's share behind `held[0]`, if something is there, and leaves the sum in its place. `store(i, before, sum)`
// is given the running sums without and with element i; `before` is null where nothing is before it.
template <class T, class L, class F, class S>
__device__ void scan_share(L load, size_t start, size_t end, T *held, bool carried, F f, S store) {
    __shared__ __align__(16) unsigned char room[block_threads * sizeof(T)];
    T *of_threads = reinterpret_cast<T *>(room);
    constexpr unsigned items = thread_items<T>;
    unsigned t = threadIdx.x;
    for (size_t at = start; at < end; at += tile_items<T>, carried = true) {
        unsigned here = end - at < tile_items<T> ? unsigned(end - at) : tile_items<T>;
        for (unsigned i = t; i < here; i += block_threads) held[1 + i] = load(at + i);
        __syncthreads();
        unsigned from = t * items, to = from + items < here ? from + items : here;
        if (from < to) {
            T sum = carried && t == 0 ? f(held[0], held[1]) : held[1 + from];
            for (unsigned i = from + 1; i < to; i++) sum = f(sum, held[1 + i]);
            of_threads[t] = sum;
        }
        __syncthreads();
        scan_block(of_threads, (here + items - 1) / items, f);
        if (from < to) {
            if (t > 0)
                held[1 + from] = f(of_threads[t - 1], held[1 + from]);
            else if (carried)
                held[1] = f(held[0], held[1]);
            for (unsigned i = from + 1; i < to; i++) held[1 + i] = f(held[i], held[1 + i]);
        }
        __syncthreads();
        for (unsigned i = t; i < here; i += block_threads)
            store(at + i, i > 0 || carried ? held + i : nullptr, held[1 + i]);
        __syncthreads();
        if (t == 0) held[0] = held[here];
        __syncthreads();
    }
}

} // namespace detail

// The sum of each share.
template <class T, class L, class F>
__global__ void DeviceScanUpsweepKernel(L load, size_t n, size_t share, T *sums, F f) {
    __shared__ __align__(16) unsigned char room[(1 + detail::tile_items<T>)*sizeof(T)];
    T *held = reinterpret_cast<T *>(room);
    size_t start = blockIdx.x * share, end = start + share < n ? start + share : n;
    detail::scan_share(load, start, end, held, false, f, [](size_t, const T *, const T &) {});
    if (threadIdx.x == 0) sums[blockIdx.x] = held[0];
}

// Running sums of the shares' sums.
template <class T, class F>
__global__ void DeviceScanSpineKernel(T *sums, unsigned n, F f) {
    __shared__ __align__(16) unsigned char room[detail::block_threads * sizeof(T)];
    T *held = reinterpret_cast<T *>(room);
    unsigned t = threadIdx.x;
    if (t < n) held[t] = sums[t];
    __syncthreads();
    detail::scan_block(held, n, f);
    if (t < n) sums[t] = held[t];
}

// Running sums of each share behind those before it, and behind a first value if there is one.
template <class T, class L, class F, class S>
__global__ void DeviceScanDownsweepKernel(L load, size_t n, size_t share, const T *sums, F f, bool begun, T init,
                                          S store) {
    __shared__ __align__(16) unsigned char room[(1 + detail::tile_items<T>)*sizeof(T)];
    T *held = reinterpret_cast<T *>(room);
    size_t start = blockIdx.x * share, end = start + share < n ? start + share : n;
    bool carried = begun || blockIdx.x > 0;
    if (threadIdx.x == 0 && carried) {
        if (blockIdx.x == 0)
            held[0] = init;
        else
            held[0] = begun ? f(init, sums[blockIdx.x - 1]) : sums[blockIdx.x - 1];
    }
    detail::scan_share(load, start, end, held, carried, f, store);
}

// A count of nothing.
template <class C>
__global__ void DeviceCompactInitKernel(C count) {
    *count = 0;
}

namespace detail {

// Starts the kernels of a scan.
template <class T, class L, class F, class S>
void scan_shares(const shares<T> &its, L load, F f, bool begun, T init, S store) {
    if (its.n == 0) return;
    if (its.count > 1) {
        DeviceScanUpsweepKernel<T><<<its.count, block_threads, 0, its.stream>>>(load, its.n, its.items, its.sums, f);
        DeviceScanSpineKernel<T><<<1, block_threads, 0, its.stream>>>(its.sums, its.count, f);
    }
    DeviceScanDownsweepKernel<T><<<its.count, block_threads, 0, its.stream>>>(
        load, its.n, its.items, static_cast<const T *>(its.sums), f, begun, init, store);
}

// A scan that fills `d_out`, with `d_in` or without its own element in each sum.
template <bool inclusive, class T, class I, class O, class F>
cudaError_t scan(temporary_storage storage, I d_in, O d_out, F f, bool begun, T init, size_t n) {
    shares<T> its(storage, n);
    if (!storage.suffices(d_out)) return storage.error;
    auto in = raw(d_in);
    auto out = raw(d_out);
    scan_shares(
        its, [=](size_t i) { return T(*(in + i)); }, f, begun, init,
        [=](size_t i, const T *before, const T &sum) { *(out + i) = inclusive ? sum : *before; });
    return finished();
}

// Elements in runs of equal keys: how many runs begin among them, and the sum of the last run.
template <class V>
struct runs {
    unsigned begin;
    V sum;
};
template <class F>
struct join_runs {
    mutable F f;
    template <class V>
    constexpr runs<V> operator()(const runs<V> &a, const runs<V> &b) const {
        return {a.begin + b.begin, b.begin > 0 ? b.sum : V(f(a.sum, b.sum))};
    }
};
// Whether a run begins with element i.
template <class K, class Equal>
struct begins_run {
    K keys;
    mutable Equal equal;
    constexpr bool operator()(size_t i) const { return i == 0 || !equal(*(keys + (i - 1)), *(keys + i)); }
};

// A scan that begins anew with each run of equal keys.
template <bool inclusive, class V, class K, class I, class O, class F, class Equal>
cudaError_t scan_by_key(temporary_storage storage, K d_keys_in, I d_values_in, O d_values_out, F f, V init, size_t n,
                        Equal equal) {
    using T = runs<V>;
    shares<T> its(storage, n);
    if (!storage.suffices(d_values_out)) return storage.error;
    auto keys = raw(d_keys_in);
    auto in = raw(d_values_in);
    auto out = raw(d_values_out);
    begins_run<decltype(keys), Equal> begins{keys, equal};
    auto load = [=](size_t i) { return T{begins(i), V(*(in + i))}; };
    auto store = [=](size_t i, const T *before, const T &all) {
        if constexpr (inclusive)
            *(out + i) = all.sum;
        else
            *(out + i) = before == nullptr || before->begin != all.begin ? init : V(f(init, before->sum));
    };
    scan_shares(its, load, join_runs<F>{f}, false, T(), store);
    return finished();
}

} // namespace detail

struct DeviceScan {
    template <class I, class O>
    static cudaError_t ExclusiveSum(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out,
                                    ptrdiff_t num_items, cudaStream_t stream = 0) {
        using T = detail::joined<detail::plus, detail::value_of<I>, detail::value_of<I>>;
        return detail::scan<false>({"cub::DeviceScan::ExclusiveSum", d_temp_storage, temp_storage_bytes, stream}, d_in,
                                   d_out, detail::plus(), true, T(), num_items);
    }
    template <class I>
    static cudaError_t ExclusiveSum(void *d_temp_storage, size_t &temp_storage_bytes, I d_data, ptrdiff_t num_items,
                                    cudaStream_t stream = 0) {
        return ExclusiveSum(d_temp_storage, temp_storage_bytes, d_data, d_data, num_items, stream);
    }
    template <class I, class O, class F, class V>
    static cudaError_t ExclusiveScan(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, F scan_op,
                                     V init_value, ptrdiff_t num_items, cudaStream_t stream = 0) {
        using T = detail::joined<F, V, detail::value_of<I>>;
        return detail::scan<false>({"cub::DeviceScan::ExclusiveScan", d_temp_storage, temp_storage_bytes, stream}, d_in,
                                   d_out, scan_op, true, T(init_value), num_items);
    }
    template <class I, class F, class V>
    static cudaError_t ExclusiveScan(void *d_temp_storage, size_t &temp_storage_bytes, I d_data, F scan_op,
                                     V init_value, ptrdiff_t num_items, cudaStream_t stream = 0) {
        return ExclusiveScan(d_temp_storage, temp_storage_bytes, d_data, d_data, scan_op, init_value, num_items,
                             stream);
    }
    template <class I, class O>
    static cudaError_t InclusiveSum(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out,
                                    ptrdiff_t num_items, cudaStream_t stream = 0) {
        using T = detail::joined<detail::plus, detail::value_of<I>, detail::value_of<I>>;
        return detail::scan<true>({"cub::DeviceScan::InclusiveSum", d_temp_storage, temp_storage_bytes, stream}, d_in,
                                  d_out, detail::plus(), false, T(), num_items);
    }
    template <class I>
    static cudaError_t InclusiveSum(void *d_temp_storage, size_t &temp_storage_bytes, I d_data, ptrdiff_t num_items,
                                    cudaStream_t stream = 0) {
        return InclusiveSum(d_temp_storage, temp_storage_bytes, d_data, d_data, num_items, stream);
    }
    template <class I, class O, class F>
    static cudaError_t InclusiveScan(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, F scan_op,
                                     ptrdiff_t num_items, cudaStream_t stream = 0) {
        using T = detail::joined<F, detail::value_of<I>, detail::value_of<I>>;
        return detail::scan<true>({"cub::DeviceScan::InclusiveScan", d_temp_storage, temp_storage_bytes, stream}, d_in,
                                  d_out, scan_op, false, T(), num_items);
    }
    template <class I, class F>
    static cudaError_t InclusiveScan(void *d_temp_storage, size_t &temp_storage_bytes, I d_data, F scan_op,
                                     ptrdiff_t num_items, cudaStream_t stream = 0) {
        return InclusiveScan(d_temp_storage, temp_storage_bytes, d_data, d_data, scan_op, num_items, stream);
    }
    template <class I, class O, class F, class V>
    static cudaError_t InclusiveScanInit(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, F scan_op,
                                         V init_value, ptrdiff_t num_items, cudaStream_t stream = 0) {
        using T = detail::joined<F, V, detail::value_of<I>>;
        return detail::scan<true>({"cub::DeviceScan::InclusiveScanInit", d_temp_storage, temp_storage_bytes, stream},
                                  d_in, d_out, scan_op, true, T(init_value), num_items);
    }
    template <class K, class I, class O, class Equal = detail::same>
    static cudaError_t ExclusiveSumByKey(void *d_temp_storage, size_t &temp_storage_bytes, K d_keys_in, I d_values_in,
                                         O d_values_out, ptrdiff_t num_items, Equal equality_op = Equal(),
                                         cudaStream_t stream = 0) {
        return detail::scan_by_key<false>(
            {"cub::DeviceScan::ExclusiveSumByKey", d_temp_storage, temp_storage_bytes, stream}, d_keys_in, d_values_in,
            d_values_out, detail::plus(), detail::value_of<I>(), num_items, equality_op);
    }
    template <class K, class I, class O, class F, class V, class Equal = detail::same>
    static cudaError_t ExclusiveScanByKey(void *d_temp_storage, size_t &temp_storage_bytes, K d_keys_in, I d_values_in,
                                          O d_values_out, F scan_op, V init_value, ptrdiff_t num_items,
                                          Equal equality_op = Equal(), cudaStream_t stream = 0) {
        return detail::scan_by_key<false>(
            {"cub::DeviceScan::ExclusiveScanByKey", d_temp_storage, temp_storage_bytes, stream}, d_keys_in, d_values_in,
            d_values_out, scan_op, init_value, num_items, equality_op);
    }
    template <class K, class I, class O, class Equal = detail::same>
    static cudaError_t InclusiveSumByKey(void *d_temp_storage, size_t &temp_storage_bytes, K d_keys_in, I d_values_in,
                                         O d_values_out, ptrdiff_t num_items, Equal equality_op = Equal(),
                                         cudaStream_t stream = 0) {
        return detail::scan_by_key<true>(
            {"cub::DeviceScan::InclusiveSumByKey", d_temp_storage, temp_storage_bytes, stream}, d_keys_in, d_values_in,
            d_values_out, detail::plus(), detail::value_of<I>(), num_items, equality_op);
    }
    template <class K, class I, class O, class F, class Equal = detail::same>
    static cudaError_t InclusiveScanByKey(void *d_temp_storage, size_t &temp_storage_bytes, K d_keys_in, I d_values_in,
                                          O d_values_out, F scan_op, ptrdiff_t num_items, Equal equality_op = Equal(),
                                          cudaStream_t stream = 0) {
        return detail::scan_by_key<true>(
            {"cub::DeviceScan::InclusiveScanByKey", d_temp_storage, temp_storage_bytes, stream}, d_keys_in, d_values_in,
            d_values_out, scan_op, detail::value_of<I>(), num_items, equality_op);
    }
};

} // namespace cub
