// A function for each of many numbers or elements.
#pragma once
#include <cub/device/temporary_storage.cuh>

namespace cub {

template <class F>
__global__ void DeviceForKernel(size_t n, F f) {
    size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) f(i);
}

struct DeviceFor {
    template <class N, class F>
    static cudaError_t Bulk(N shape, F op, cudaStream_t stream = 0) {
        return run(shape, [=](size_t i) mutable { op(N(i)); }, stream);
    }
    template <class I, class F>
    static cudaError_t ForEachN(I first, ptrdiff_t num_items, F op, cudaStream_t stream = 0) {
        auto in = detail::raw(first);
        return run(num_items, [=](size_t i) mutable { op(*(in + i)); }, stream);
    }
    template <class I, class F>
    static cudaError_t ForEach(I first, I last, F op, cudaStream_t stream = 0) {
        return ForEachN(first, last - first, op, stream);
    }

  private:
    template <class F>
    static cudaError_t run(size_t n, F f, cudaStream_t stream) {
        if (n > 0)
            DeviceForKernel<<<detail::blocks_for(n, detail::block_threads, 1 << 20), detail::block_threads, 0,
                              stream>>>(n, f);
        return detail::finished();
    }
};

} // namespace cub
