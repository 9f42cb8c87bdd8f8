// Takes values and keeps none.
#pragma once
#include <thrust/detail/iterators.h>

namespace cub {

template <class Offset = ptrdiff_t>
class DiscardOutputIterator : public thrust::detail::steps<DiscardOutputIterator<Offset>, void, thrust::detail::sink> {
    ptrdiff_t at;

  public:
    constexpr DiscardOutputIterator(ptrdiff_t from = 0) : at(from) {}
    constexpr thrust::detail::sink operator*() const { return {}; }
    constexpr void move(ptrdiff_t n) { at += n; }
    constexpr ptrdiff_t to(const DiscardOutputIterator &other) const { return other.at - at; }
};

} // namespace cub
