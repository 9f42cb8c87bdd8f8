// The elements of another iterator, each passed through a function.
#pragma once
#include <thrust/detail/iterators.h>

namespace cub {

template <class V, class F, class I, class Offset = ptrdiff_t>
class TransformInputIterator : public thrust::detail::steps<TransformInputIterator<V, F, I, Offset>, V, V> {
    I base;
    mutable F f;

  public:
    constexpr TransformInputIterator(I it, F function) : base(it), f(function) {}
    constexpr V operator*() const { return f(*base); }
    constexpr void move(ptrdiff_t n) { base += n; }
    constexpr ptrdiff_t to(const TransformInputIterator &other) const { return other.base - base; }
};

} // namespace cub
