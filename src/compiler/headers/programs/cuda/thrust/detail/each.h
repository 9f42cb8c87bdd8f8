// Work on each of many, on the device or on the host.
#pragma once
#include <thrust/detail/system.h>

namespace thrust {
namespace detail {

constexpr unsigned block_threads = 256;

template <class F>
__global__ void for_all(size_t n, F work) {
    size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) work(i);
}

inline void finish(const on_device &p) {
    if (p.waits) check(cudaStreamSynchronize(p.stream));
}
template <class P>
void finish(const P &p) { check(cudaStreamSynchronize(p.stream)); }

inline unsigned blocks_for(size_t n, size_t each = block_threads, size_t most = 1 << 20) {
    size_t blocks = (n + each - 1) / each;
    return unsigned(blocks < most ? blocks : most);
}

// `work(i)` for i below n; does not wait.
template <bool on_device, class P, class F>
void each(const P &p, size_t n, F work) {
    if (n == 0) return;
    if constexpr (on_device) {
        for_all<<<blocks_for(n), block_threads, 0, p.stream>>>(n, work);
        check(cudaGetLastError());
    } else {
        for (size_t i = 0; i < n; i++) work(i);
    }
}

// Device memory for the time of an algorithm.
template <class T>
struct scratch {
    T *data = nullptr;
    explicit scratch(size_t n) { check(cudaMalloc((void **)&data, (n ? n : 1) * sizeof(T))); }
    scratch(const scratch &) = delete;
    ~scratch() { cudaFree(data); }
};

template <class T>
T fetch(const T *from, cudaStream_t stream) {
    alignas(T) unsigned char held[sizeof(T)];
    check(cudaMemcpyAsync(held, from, sizeof(T), cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    return *reinterpret_cast<T *>(held);
}

} // namespace detail
} // namespace thrust
