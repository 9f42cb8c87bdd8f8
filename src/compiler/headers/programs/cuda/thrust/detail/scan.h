// Prefix sums.
#pragma once
#include <thrust/detail/reduce.h>

namespace thrust {
namespace detail {

constexpr size_t tile = 4 * block_threads;

// Each block scans its tile, behind what `before` says of the tiles before it.
template <class T, class I, class O, class F>
__global__ void scan_tiles(I first, size_t n, size_t of_tile, O out, const T *before, bool begun, bool exclusive, F f) {
    __shared__ __align__(16) unsigned char room[block_threads * sizeof(T)];
    T *held = reinterpret_cast<T *>(room);
    size_t start = blockIdx.x * of_tile, end = start + of_tile < n ? start + of_tile : n;
    unsigned t = threadIdx.x;
    // Whether there is something to add at the front: a sum of other tiles, or a first value.
    bool carried = begun;
    __align__(16) unsigned char space[sizeof(T)];
    T &carry = *reinterpret_cast<T *>(space);
    if (carried) carry = before[blockIdx.x];
    for (size_t at = start; at < end; at += block_threads) {
        unsigned active = end - at < block_threads ? unsigned(end - at) : block_threads;
        if (t < active) held[t] = T(*(first + (at + t)));
        __syncthreads();
        for (unsigned by = 1; by < active; by *= 2) {
            bool adds = t < active && t >= by;
            T left = adds ? held[t - by] : held[0];
            __syncthreads();
            if (adds) held[t] = f(left, held[t]);
            __syncthreads();
        }
        if (t < active) {
            if (!exclusive) *(out + (at + t)) = carried ? f(carry, held[t]) : held[t];
            else *(out + (at + t)) = t == 0 ? carry : f(carry, held[t - 1]);
        }
        T all = held[active - 1];
        carry = carried ? f(carry, all) : all;
        carried = true;
        __syncthreads();
    }
}

// The sum of each tile.
template <class T, class I, class F>
__global__ void sum_tiles(I first, size_t n, T *out, F f) {
    __shared__ __align__(16) unsigned char room[block_threads * sizeof(T)];
    T *held = reinterpret_cast<T *>(room);
    size_t start = blockIdx.x * tile, end = start + tile < n ? start + tile : n;
    // Neighbours stay together, for operations whose order matters.
    size_t from = start + threadIdx.x * (tile / block_threads);
    size_t to = from + tile / block_threads < end ? from + tile / block_threads : end;
    if (from < to) {
        T sum = T(*(first + from));
        for (size_t i = from + 1; i < to; i++) sum = f(sum, T(*(first + i)));
        held[threadIdx.x] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        T sum = held[0];
        for (unsigned t = 1; start + t * (tile / block_threads) < end; t++) sum = f(sum, held[t]);
        out[blockIdx.x] = sum;
    }
}

template <class T, class P, class I, class O, class F>
void scan_there(const P &p, I first, size_t n, O out, const T *init, F f) {
    unsigned tiles = unsigned((n + tile - 1) / tile);
    scratch<T> sums(tiles), before(tiles);
    if (init) check(cudaMemcpyAsync(before.data, init, sizeof(T), cudaMemcpyHostToDevice, p.stream));
    if (tiles == 1) {
        scan_tiles<T><<<1, block_threads, 0, p.stream>>>(first, n, tile, out, before.data, init != nullptr,
                                                         init != nullptr, f);
    } else {
        sum_tiles<T><<<tiles, block_threads, 0, p.stream>>>(first, n, sums.data, f);
        if (init) {
            scratch<T> start(1);
            check(cudaMemcpyAsync(start.data, init, sizeof(T), cudaMemcpyHostToDevice, p.stream));
            scan_tiles<T><<<1, block_threads, 0, p.stream>>>(sums.data, tiles, tiles, before.data, start.data, true, true, f);
            check(cudaStreamSynchronize(p.stream));
            scan_tiles<T><<<tiles, block_threads, 0, p.stream>>>(first, n, tile, out, before.data, true, true, f);
        } else {
            // Behind the first tile, the sum of those before; the first has none.
            scan_tiles<T><<<1, block_threads, 0, p.stream>>>(sums.data, tiles, tiles, before.data, sums.data, false, false, f);
            scan_tiles<T><<<1, block_threads, 0, p.stream>>>(first, tile, tile, out, before.data, false, false, f);
            auto rest = first + tile;
            auto to = out + tile;
            scan_tiles<T><<<tiles - 1, block_threads, 0, p.stream>>>(rest, n - tile, tile, to, before.data, true, false, f);
        }
    }
    check(cudaGetLastError());
    check(cudaStreamSynchronize(p.stream));
}

template <class P, class I, class O, class F>
O inclusive_scan(const P &p, I first, I last, O out, F f) {
    using T = value_of<I>;
    size_t n = last - first;
    if (n == 0) return out;
    if constexpr (works_on_device<P, I, O>()) {
        scan_there<T>(p, raw(first), n, raw(out), static_cast<const T *>(nullptr), f);
    } else {
        T sum = *first;
        *out = sum;
        for (size_t i = 1; i < n; i++) *(out + i) = sum = f(sum, T(*(first + i)));
    }
    return out + n;
}
template <class P, class I, class O>
O inclusive_scan(const P &p, I first, I last, O out) {
    return detail::inclusive_scan(p, first, last, out, std::plus<value_of<I>>());
}
template <class P, class I, class O, class T, class F>
O exclusive_scan(const P &p, I first, I last, O out, T init, F f) {
    size_t n = last - first;
    if (n == 0) return out;
    if constexpr (works_on_device<P, I, O>()) {
        scan_there<T>(p, raw(first), n, raw(out), static_cast<const T *>(&init), f);
    } else {
        for (size_t i = 0; i < n; i++) {
            T next = f(init, T(*(first + i)));
            *(out + i) = init;
            init = next;
        }
    }
    return out + n;
}
template <class P, class I, class O, class T>
O exclusive_scan(const P &p, I first, I last, O out, T init) {
    return detail::exclusive_scan(p, first, last, out, init, std::plus<T>());
}
template <class P, class I, class O>
O exclusive_scan(const P &p, I first, I last, O out) {
    return detail::exclusive_scan(p, first, last, out, value_of<I>());
}
template <class P, class I, class O, class G, class F>
O transform_inclusive_scan(const P &p, I first, I last, O out, G g, F f) {
    return detail::inclusive_scan(p, make_transform_iterator(first, g), make_transform_iterator(last, g), out, f);
}
template <class P, class I, class O, class G, class T, class F>
O transform_exclusive_scan(const P &p, I first, I last, O out, G g, T init, F f) {
    return detail::exclusive_scan(p, make_transform_iterator(first, g), make_transform_iterator(last, g), out, init, f);
}
template <class P, class I, class O, class F>
O adjacent_difference(const P &p, I first, I last, O out, F f) {
    using T = value_of<I>;
    size_t n = last - first;
    if (n == 0) return out;
    if constexpr (works_on_device<P, I, O>()) {
        auto differ = [&](auto in, auto to) {
            each<true>(p, n, [=](size_t i) {
                if (i == 0) *to = *in;
                else *(to + i) = f(*(in + i), *(in + (i - 1)));
            });
            finish(p);
        };
        auto in = raw(first);
        auto to = raw(out);
        if constexpr (std::is_pointer_v<decltype(in)> && std::is_pointer_v<decltype(to)>) {
            // The differences may go where the values are.
            if (static_cast<const void *>(in) == static_cast<const void *>(to)) {
                scratch<T> values(n);
                check(cudaMemcpyAsync(values.data, in, n * sizeof(T), cudaMemcpyDeviceToDevice, p.stream));
                differ(static_cast<const T *>(values.data), to);
                return out + n;
            }
        }
        differ(in, to);
    } else {
        T before = *first;
        *out = before;
        for (size_t i = 1; i < n; i++) {
            T value = *(first + i);
            *(out + i) = f(value, before);
            before = value;
        }
    }
    return out + n;
}
template <class P, class I, class O>
O adjacent_difference(const P &p, I first, I last, O out) {
    return detail::adjacent_difference(p, first, last, out, std::minus<value_of<I>>());
}

} // namespace detail

__GPULEARN_THRUST(inclusive_scan)
__GPULEARN_THRUST(exclusive_scan)
__GPULEARN_THRUST(transform_inclusive_scan)
__GPULEARN_THRUST(transform_exclusive_scan)
__GPULEARN_THRUST(adjacent_difference)

} // namespace thrust
