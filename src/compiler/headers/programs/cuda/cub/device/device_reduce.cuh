// Sums, extremes and other reductions of what lies in device memory.
#pragma once
#include <cub/device/device_scan.cuh>
#include <cub/iterator/arg_index_input_iterator.cuh>
#include <cub/iterator/transform_input_iterator.cuh>

namespace cub {
namespace detail {

// Joins, for a block, the elements from `first` on and those `step` behind each; below `n`, which is above `first`.
template <class T, class I, class F>
__device__ T join(I in, size_t first, size_t n, size_t step, F f) {
    __shared__ __align__(16) unsigned char room[block_threads * sizeof(T)];
    T *held = reinterpret_cast<T *>(room);
    unsigned t = threadIdx.x, active = n - first < block_threads ? unsigned(n - first) : block_threads;
    if (t < active) {
        T mine = T(*(in + (first + t)));
        for (size_t i = first + t + step; i < n; i += step) mine = f(mine, T(*(in + i)));
        held[t] = mine;
    }
    __syncthreads();
    for (unsigned half = block_threads / 2; half > 0; half /= 2) {
        if (t < half && t + half < active) held[t] = f(held[t], held[t + half]);
        __syncthreads();
    }
    return held[0];
}

} // namespace detail

// A value for each block, whose threads go through the elements side by side.
template <class T, class I, class F>
__global__ void DeviceReduceKernel(I in, size_t n, T *out, F f) {
    T all = detail::join<T>(in, size_t(blockIdx.x) * blockDim.x, n, size_t(gridDim.x) * blockDim.x, f);
    if (threadIdx.x == 0) out[blockIdx.x] = all;
}

// One block joins all elements with the first value.
template <class T, class I, class O, class F>
__global__ void DeviceReduceSingleTileKernel(I in, size_t n, O out, F f, T init) {
    T all = n == 0 ? init : T(f(init, detail::join<T>(in, 0, n, blockDim.x, f)));
    if (threadIdx.x == 0) *out = all;
}

namespace detail {

template <class T, class I, class O, class F>
cudaError_t reduce(temporary_storage storage, I d_in, O d_out, size_t n, F f, T init) {
    unsigned blocks = blocks_for(n, 4 * block_threads, block_threads);
    T *sums = storage.part<T>(blocks);
    if (!storage.suffices(d_out)) return storage.error;
    auto in = raw(d_in);
    auto out = raw(d_out);
    if (blocks == 1) {
        DeviceReduceSingleTileKernel<T><<<1, block_threads, 0, storage.stream>>>(in, n, out, f, init);
    } else {
        DeviceReduceKernel<T><<<blocks, block_threads, 0, storage.stream>>>(in, n, sums, f);
        DeviceReduceSingleTileKernel<T><<<1, block_threads, 0, storage.stream>>>(sums, blocks, out, f, init);
    }
    return finished();
}

// The sums of runs of equal keys, each with its key; how many there are.
template <class V, class K, class U, class I, class O, class C, class F>
cudaError_t reduce_by_key(temporary_storage storage, K d_keys_in, U d_unique_out, I d_values_in, O d_aggregates_out,
                          C d_num_runs_out, F f, size_t n) {
    using T = runs<V>;
    shares<T> its(storage, n);
    if (!storage.suffices(d_unique_out)) return storage.error;
    auto keys = raw(d_keys_in);
    auto unique = raw(d_unique_out);
    auto values = raw(d_values_in);
    auto aggregates = raw(d_aggregates_out);
    auto count = raw(d_num_runs_out);
    storage.must_not_overlap(keys, n, unique);
    storage.must_not_overlap(values, n, aggregates);
    begins_run<decltype(keys), same> begins{keys, same()};
    auto load = [=](size_t i) { return T{begins(i), V(*(values + i))}; };
    auto store = [=](size_t i, const T *before, const T &all) {
        if (before == nullptr || before->begin != all.begin) *(unique + (all.begin - 1)) = *(keys + i);
        if (i + 1 == n || begins(i + 1)) *(aggregates + (all.begin - 1)) = all.sum;
        if (i + 1 == n) *count = all.begin;
    };
    if (n == 0) DeviceCompactInitKernel<<<1, 1, 0, its.stream>>>(count);
    scan_shares(its, load, join_runs<F>{f}, false, T(), store);
    return finished();
}

// Of two pairs of an index and a value that with the better value; the lower index where they are equal.
template <class Better>
struct better_pair {
    template <class T>
    constexpr T operator()(const T &a, const T &b) const {
        Better better;
        return better(b.value, a.value) || (!better(a.value, b.value) && b.key < a.key) ? b : a;
    }
};
struct less {
    template <class T>
    constexpr bool operator()(const T &a, const T &b) const {
        return a < b;
    }
};
struct greater {
    template <class T>
    constexpr bool operator()(const T &a, const T &b) const {
        return b < a;
    }
};

// Writes a pair of an index and a value to two places.
template <class V, class K>
struct to_two_places {
    V value;
    K key;
    constexpr const to_two_places &operator*() const { return *this; }
    template <class T>
    constexpr void operator=(const T &pair) const {
        *value = pair.value;
        *key = pair.key;
    }
};

} // namespace detail

struct DeviceReduce {
    template <class I, class O, class F, class V>
    static cudaError_t Reduce(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, ptrdiff_t num_items,
                              F reduction_op, V init, cudaStream_t stream = 0) {
        using T = detail::joined<F, V, detail::value_of<I>>;
        return detail::reduce({"cub::DeviceReduce::Reduce", d_temp_storage, temp_storage_bytes, stream}, d_in, d_out,
                              num_items, reduction_op, T(init));
    }
    template <class I, class O>
    static cudaError_t Sum(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, ptrdiff_t num_items,
                           cudaStream_t stream = 0) {
        using T = detail::joined<detail::plus, detail::written<O, I>, detail::value_of<I>>;
        return detail::reduce({"cub::DeviceReduce::Sum", d_temp_storage, temp_storage_bytes, stream}, d_in, d_out,
                              num_items, detail::plus(), T());
    }
    template <class I, class O>
    static cudaError_t Min(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, ptrdiff_t num_items,
                           cudaStream_t stream = 0) {
        return detail::reduce({"cub::DeviceReduce::Min", d_temp_storage, temp_storage_bytes, stream}, d_in, d_out,
                              num_items, detail::smaller(), Traits<detail::value_of<I>>::Max());
    }
    template <class I, class O>
    static cudaError_t Max(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, ptrdiff_t num_items,
                           cudaStream_t stream = 0) {
        return detail::reduce({"cub::DeviceReduce::Max", d_temp_storage, temp_storage_bytes, stream}, d_in, d_out,
                              num_items, detail::larger(), Traits<detail::value_of<I>>::Lowest());
    }
    template <class I, class O>
    static cudaError_t ArgMin(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, ptrdiff_t num_items,
                              cudaStream_t stream = 0) {
        return arg<int, detail::less>({"cub::DeviceReduce::ArgMin", d_temp_storage, temp_storage_bytes, stream}, d_in,
                                      d_out, num_items, Traits<detail::value_of<I>>::Max());
    }
    template <class I, class V, class K>
    static cudaError_t ArgMin(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, V d_min_out, K d_index_out,
                              ptrdiff_t num_items, cudaStream_t stream = 0) {
        detail::to_two_places<V, K> out{d_min_out, d_index_out};
        return arg<ptrdiff_t, detail::less>({"cub::DeviceReduce::ArgMin", d_temp_storage, temp_storage_bytes, stream},
                                            d_in, out, num_items, Traits<detail::value_of<I>>::Max());
    }
    template <class I, class O>
    static cudaError_t ArgMax(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, ptrdiff_t num_items,
                              cudaStream_t stream = 0) {
        return arg<int, detail::greater>({"cub::DeviceReduce::ArgMax", d_temp_storage, temp_storage_bytes, stream},
                                         d_in, d_out, num_items, Traits<detail::value_of<I>>::Lowest());
    }
    template <class I, class V, class K>
    static cudaError_t ArgMax(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, V d_max_out, K d_index_out,
                              ptrdiff_t num_items, cudaStream_t stream = 0) {
        detail::to_two_places<V, K> out{d_max_out, d_index_out};
        return arg<ptrdiff_t, detail::greater>(
            {"cub::DeviceReduce::ArgMax", d_temp_storage, temp_storage_bytes, stream}, d_in, out, num_items,
            Traits<detail::value_of<I>>::Lowest());
    }
    template <class I, class O, class F, class G, class V>
    static cudaError_t TransformReduce(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out,
                                       ptrdiff_t num_items, F reduction_op, G transform_op, V init,
                                       cudaStream_t stream = 0) {
        using W = std::decay_t<std::invoke_result_t<G, detail::value_of<I>>>;
        using T = detail::joined<F, V, W>;
        auto in = detail::raw(d_in);
        TransformInputIterator<W, G, decltype(in)> transformed(in, transform_op);
        return detail::reduce({"cub::DeviceReduce::TransformReduce", d_temp_storage, temp_storage_bytes, stream},
                              transformed, d_out, num_items, reduction_op, T(init));
    }
    template <class K, class U, class I, class O, class C, class F>
    static cudaError_t ReduceByKey(void *d_temp_storage, size_t &temp_storage_bytes, K d_keys_in, U d_unique_out,
                                   I d_values_in, O d_aggregates_out, C d_num_runs_out, F reduction_op,
                                   ptrdiff_t num_items, cudaStream_t stream = 0) {
        using V = detail::joined<F, detail::value_of<I>, detail::value_of<I>>;
        return detail::reduce_by_key<V>({"cub::DeviceReduce::ReduceByKey", d_temp_storage, temp_storage_bytes, stream},
                                        d_keys_in, d_unique_out, d_values_in, d_aggregates_out, d_num_runs_out,
                                        reduction_op, num_items);
    }

  private:
    template <class K, class Better, class I, class O, class V>
    static cudaError_t arg(detail::temporary_storage storage, I d_in, O d_out, size_t n, V worst) {
        using Pairs = ArgIndexInputIterator<decltype(detail::raw(d_in)), K, V>;
        return detail::reduce(storage, Pairs(detail::raw(d_in)), d_out, n, detail::better_pair<Better>(),
                              KeyValuePair<K, V>(K(1), worst));
    }
};

} // namespace cub
