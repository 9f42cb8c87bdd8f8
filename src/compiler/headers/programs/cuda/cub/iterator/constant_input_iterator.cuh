// One value, however often it is read.
#pragma once
#include <thrust/detail/iterators.h>

namespace cub {

template <class V, class Offset = ptrdiff_t>
class ConstantInputIterator : public thrust::detail::steps<ConstantInputIterator<V, Offset>, V, V> {
    V value;
    ptrdiff_t at = 0;

  public:
    constexpr ConstantInputIterator(V v, ptrdiff_t from = 0) : value(v), at(from) {}
    constexpr V operator*() const { return value; }
    constexpr void move(ptrdiff_t n) { at += n; }
    constexpr ptrdiff_t to(const ConstantInputIterator &other) const { return other.at - at; }
};

} // namespace cub
