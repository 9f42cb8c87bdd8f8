// Sequences of whole numbers: those of the C++ library, and backwards.
#pragma once
#include <utility>

namespace thrust {

using std::index_sequence;
using std::integer_sequence;
using std::make_index_sequence;
using std::make_integer_sequence;

namespace detail {
template <class T, T... n>
integer_sequence<T, T(sizeof...(n) - 1 - n)...> reversed(integer_sequence<T, n...>);
}
template <class T, T n>
using make_reversed_integer_sequence = decltype(detail::reversed(make_integer_sequence<T, n>()));
template <size_t n>
using make_reversed_index_sequence = make_reversed_integer_sequence<size_t, n>;

} // namespace thrust
