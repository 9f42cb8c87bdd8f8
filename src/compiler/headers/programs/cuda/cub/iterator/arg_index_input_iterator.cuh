// The elements of another iterator, each with its index.
#pragma once
#include <cub/util_type.cuh>
#include <thrust/detail/iterators.h>

namespace cub {

template <class I, class Offset = ptrdiff_t, class V = thrust::detail::value_of<I>>
class ArgIndexInputIterator : public thrust::detail::steps<ArgIndexInputIterator<I, Offset, V>, KeyValuePair<Offset, V>,
                                                           KeyValuePair<Offset, V>> {
    I base;
    ptrdiff_t index = 0;

  public:
    constexpr ArgIndexInputIterator(I it) : base(it) {}
    constexpr KeyValuePair<Offset, V> operator*() const { return {Offset(index), V(*(base + index))}; }
    constexpr void move(ptrdiff_t n) { index += n; }
    constexpr ptrdiff_t to(const ArgIndexInputIterator &other) const { return other.index - index; }
    constexpr void normalize() {
        base += index;
        index = 0;
    }
};

} // namespace cub
