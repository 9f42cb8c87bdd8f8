// Reductions of segments, given by where each begins and ends.
#pragma once
#include <cub/device/device_reduce.cuh>

namespace cub {
namespace detail {

// An iterator for a segment, whose indices begin at 0.
template <class I>
constexpr I segment(I in, size_t begin) {
    return in + begin;
}
template <class I, class K, class V>
constexpr ArgIndexInputIterator<I, K, V> segment(ArgIndexInputIterator<I, K, V> in, size_t begin) {
    in += begin;
    in.normalize();
    return in;
}

} // namespace detail

// A block for each segment.
template <class T, class I, class O, class B, class E, class F>
__global__ void DeviceSegmentedReduceKernel(I in, O out, B begins, E ends, F f, T init) {
    size_t begin = *(begins + blockIdx.x), end = *(ends + blockIdx.x);
    T all = init;
    if (begin < end) all = f(init, detail::join<T>(detail::segment(in, begin), 0, end - begin, blockDim.x, f));
    if (threadIdx.x == 0) *(out + blockIdx.x) = all;
}

struct DeviceSegmentedReduce {
    template <class I, class O, class B, class E, class F, class V>
    static cudaError_t Reduce(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, int num_segments,
                              B d_begin_offsets, E d_end_offsets, F reduction_op, V initial_value,
                              cudaStream_t stream = 0) {
        using T = detail::joined<F, V, detail::value_of<I>>;
        return reduce({"cub::DeviceSegmentedReduce::Reduce", d_temp_storage, temp_storage_bytes, stream}, d_in, d_out,
                      num_segments, d_begin_offsets, d_end_offsets, reduction_op, T(initial_value));
    }
    template <class I, class O, class B, class E>
    static cudaError_t Sum(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, int num_segments,
                           B d_begin_offsets, E d_end_offsets, cudaStream_t stream = 0) {
        using T = detail::joined<detail::plus, detail::written<O, I>, detail::value_of<I>>;
        return reduce({"cub::DeviceSegmentedReduce::Sum", d_temp_storage, temp_storage_bytes, stream}, d_in, d_out,
                      num_segments, d_begin_offsets, d_end_offsets, detail::plus(), T());
    }
    template <class I, class O, class B, class E>
    static cudaError_t Min(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, int num_segments,
                           B d_begin_offsets, E d_end_offsets, cudaStream_t stream = 0) {
        return reduce({"cub::DeviceSegmentedReduce::Min", d_temp_storage, temp_storage_bytes, stream}, d_in, d_out,
                      num_segments, d_begin_offsets, d_end_offsets, detail::smaller(),
                      Traits<detail::value_of<I>>::Max());
    }
    template <class I, class O, class B, class E>
    static cudaError_t Max(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, int num_segments,
                           B d_begin_offsets, E d_end_offsets, cudaStream_t stream = 0) {
        return reduce({"cub::DeviceSegmentedReduce::Max", d_temp_storage, temp_storage_bytes, stream}, d_in, d_out,
                      num_segments, d_begin_offsets, d_end_offsets, detail::larger(),
                      Traits<detail::value_of<I>>::Lowest());
    }
    template <class I, class O, class B, class E>
    static cudaError_t ArgMin(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, int num_segments,
                              B d_begin_offsets, E d_end_offsets, cudaStream_t stream = 0) {
        return arg<detail::less>({"cub::DeviceSegmentedReduce::ArgMin", d_temp_storage, temp_storage_bytes, stream},
                                 d_in, d_out, num_segments, d_begin_offsets, d_end_offsets,
                                 Traits<detail::value_of<I>>::Max());
    }
    template <class I, class O, class B, class E>
    static cudaError_t ArgMax(void *d_temp_storage, size_t &temp_storage_bytes, I d_in, O d_out, int num_segments,
                              B d_begin_offsets, E d_end_offsets, cudaStream_t stream = 0) {
        return arg<detail::greater>({"cub::DeviceSegmentedReduce::ArgMax", d_temp_storage, temp_storage_bytes, stream},
                                    d_in, d_out, num_segments, d_begin_offsets, d_end_offsets,
                                    Traits<detail::value_of<I>>::Lowest());
    }

  private:
    template <class T, class I, class O, class B, class E, class F>
    static cudaError_t reduce(detail::temporary_storage storage, I d_in, O d_out, unsigned segments, B d_begin_offsets,
                              E d_end_offsets, F f, T init) {
        if (!storage.suffices(d_out)) return storage.error;
        if (segments > 0) {
            DeviceSegmentedReduceKernel<T><<<segments, detail::block_threads, 0, storage.stream>>>(
                detail::raw(d_in), detail::raw(d_out), detail::raw(d_begin_offsets), detail::raw(d_end_offsets), f,
                init);
        }
        return detail::finished();
    }
    template <class Better, class I, class O, class B, class E, class V>
    static cudaError_t arg(detail::temporary_storage storage, I d_in, O d_out, unsigned segments, B d_begin_offsets,
                           E d_end_offsets, V worst) {
        using Pairs = ArgIndexInputIterator<decltype(detail::raw(d_in)), int, V>;
        return reduce(storage, Pairs(detail::raw(d_in)), d_out, segments, d_begin_offsets, d_end_offsets,
                      detail::better_pair<Better>(), KeyValuePair<int, V>(1, worst));
    }
};

} // namespace cub
