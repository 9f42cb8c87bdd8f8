// What iterators say of themselves, as the C++ library has it.
#pragma once
#include <iterator>

namespace thrust {

using std::iterator_traits;

template <class I>
struct iterator_value {
    using type = typename std::iterator_traits<I>::value_type;
};
template <class I>
struct iterator_pointer {
    using type = typename std::iterator_traits<I>::pointer;
};
template <class I>
struct iterator_reference {
    using type = typename std::iterator_traits<I>::reference;
};
template <class I>
struct iterator_difference {
    using type = typename std::iterator_traits<I>::difference_type;
};
template <class I>
using iterator_value_t = typename iterator_value<I>::type;

} // namespace thrust
