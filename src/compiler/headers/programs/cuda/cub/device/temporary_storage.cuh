// How each of CUB's algorithms for a device begins and ends: without temporary storage it says how much it needs.
#pragma once
#include <cub/util_type.cuh>
#include <cuda_runtime.h>
#include <iterator>
#include <thrust/detail/iterators.h>
#include <type_traits>

extern "C" {
// Writes the size that is needed where temporary storage is null, and refuses one that is too small.
cudaError_t cubTemporaryStorage(const char *function, const void *storage, size_t *bytes, size_t needed,
                                const void *out);
// Said of a function that must not write where it reads.
unsigned cubOverlap(const char *function);
// The last error, which counts as unchecked as it did before.
int cubLastError(void);
}

namespace cub {
namespace detail {

constexpr unsigned block_threads = 256;
// Stands for the values of an algorithm that has only keys.
struct no_value {};

// What a call is given to work with. Its parts lie in memory that the program allocates.
class temporary_storage {
    static constexpr size_t align = 256;
    const char *function;
    size_t start, used;
    size_t &bytes;

  public:
    cudaStream_t stream;
    // What a call returns that does not begin: success if it was asked only for the size.
    cudaError_t error = cudaSuccess;

    temporary_storage(const char *name, void *storage, size_t &storage_bytes, cudaStream_t on)
        : function(name),
          start(reinterpret_cast<size_t>(storage)),
          used(-start % align),
          bytes(storage_bytes),
          stream(on) {}

    // A part for `n` values, which is there once `suffices` says so.
    template <class T>
    T *part(size_t n) {
        T *found = reinterpret_cast<T *>(start + used);
        used += (n * sizeof(T) + align - 1) / align * align;
        return found;
    }

    // Says so where the result begins within what is read.
    template <class I, class O>
    void must_not_overlap(I in, size_t n, O out) const {
        if constexpr (std::is_pointer_v<I> && std::is_pointer_v<O>) {
            const char *first = reinterpret_cast<const char *>(in), *to = reinterpret_cast<const char *>(out);
            if (to >= first && to < reinterpret_cast<const char *>(in + n)) cubOverlap(function);
        }
    }

    // Whether the work may begin; `out` is where its result goes.
    template <class O>
    bool suffices(O out) {
        // Its parts are aligned, wherever the storage begins.
        size_t needed = used / align * align + align;
        const void *to = nullptr;
        if constexpr (std::is_pointer_v<O>) to = out;
        error = cubTemporaryStorage(function, reinterpret_cast<const void *>(start), &bytes, needed, to);
        return start != 0 && error == cudaSuccess;
    }
};

template <class I>
using value_of = typename std::iterator_traits<I>::value_type;
// What is written through an iterator; where it does not say, what is read through the other.
template <class O, class I>
using written = std::conditional_t<std::is_void_v<value_of<O>>, value_of<I>, value_of<O>>;
// What an operation makes of a first value and another.
template <class F, class T, class U>
using joined = std::decay_t<std::invoke_result_t<F, T, U>>;

using thrust::detail::raw;

struct plus {
    template <class T, class U>
    constexpr auto operator()(const T &a, const U &b) const {
        return a + b;
    }
};
struct smaller {
    template <class T>
    constexpr T operator()(const T &a, const T &b) const {
        return b < a ? b : a;
    }
};
struct larger {
    template <class T>
    constexpr T operator()(const T &a, const T &b) const {
        return a < b ? b : a;
    }
};
struct same {
    template <class T>
    constexpr bool operator()(const T &a, const T &b) const {
        return a == b;
    }
};

inline unsigned blocks_for(size_t n, size_t each, unsigned most) {
    size_t blocks = (n + each - 1) / each;
    return blocks == 0 ? 1 : blocks < most ? unsigned(blocks) : most;
}

inline cudaError_t finished() { return cudaError_t(cubLastError()); }

} // namespace detail
} // namespace cub
