// The algorithms that containers use themselves.
#pragma once
#include <gpulearn/compare.h>
#include <gpulearn/pair.h>
#include <iterator>

namespace std {

template <class T>
constexpr const T &min(const T &a, const T &b) {
    return b < a ? b : a;
}
template <class T>
constexpr const T &max(const T &a, const T &b) {
    return a < b ? b : a;
}
template <class T, class Less>
constexpr const T &min(const T &a, const T &b, Less less) {
    return less(b, a) ? b : a;
}
template <class T, class Less>
constexpr const T &max(const T &a, const T &b, Less less) {
    return less(a, b) ? b : a;
}
template <class T>
constexpr T min(initializer_list<T> list) {
    T least = *list.begin();
    for (const T &value : list)
        if (value < least) least = value;
    return least;
}
template <class T>
constexpr T max(initializer_list<T> list) {
    T most = *list.begin();
    for (const T &value : list)
        if (most < value) most = value;
    return most;
}

template <class I, class J>
constexpr void iter_swap(I a, J b) {
    using std::swap;
    swap(*a, *b);
}
template <class I, class J>
constexpr J swap_ranges(I first, I last, J to) {
    for (; first != last; ++first, ++to) std::iter_swap(first, to);
    return to;
}

// Libraries call memmove for these types. A loop by an index in a function of its own always compiles to what is
// recognised as bytes that are copied, and yet loads and stores elements.
template <class T, class U>
inline constexpr bool __copied_as_bytes = __is_trivially_copyable(U) && is_same<remove_const_t<T>, U>::value;
template <class T>
__noinline__ void __copy_elements(const T *from, ptrdiff_t n, T *to) {
#pragma unroll 4
    for (ptrdiff_t i = 0; i < n; ++i) to[i] = from[i];
}

template <class I, class O>
constexpr O copy(I first, I last, O to) {
    for (; first != last; ++first, ++to) *to = *first;
    return to;
}
template <class T, class U>
constexpr U *copy(T *first, T *last, U *to) {
    if constexpr (__copied_as_bytes<T, U>)
        if (!__builtin_is_constant_evaluated()) {
            std::__copy_elements<U>(first, last - first, to);
            return to + (last - first);
        }
    for (; first != last; ++first, ++to) *to = *first;
    return to;
}
template <class I, class N, class O>
constexpr O copy_n(I first, N n, O to) {
    for (; n > 0; --n, ++first, ++to) *to = *first;
    return to;
}
template <class T, class N, class U>
constexpr U *copy_n(T *first, N n, U *to) {
    return n > 0 ? std::copy(first, first + n, to) : to;
}
template <class I, class O>
constexpr O copy_backward(I first, I last, O to) {
    while (first != last) *--to = *--last;
    return to;
}
template <class I, class O>
constexpr O move(I first, I last, O to) {
    for (; first != last; ++first, ++to) *to = std::move(*first);
    return to;
}
template <class T, class U>
constexpr U *move(T *first, T *last, U *to) {
    if constexpr (__copied_as_bytes<T, U>) return std::copy(first, last, to);
    for (; first != last; ++first, ++to) *to = std::move(*first);
    return to;
}
template <class I, class O>
constexpr O move_backward(I first, I last, O to) {
    while (first != last) *--to = std::move(*--last);
    return to;
}
template <class I, class T>
constexpr void fill(I first, I last, const T &value) {
    for (; first != last; ++first) *first = value;
}
template <class I, class N, class T>
constexpr I fill_n(I first, N n, const T &value) {
    for (; n > 0; --n, ++first) *first = value;
    return first;
}
template <class T, class N, class V>
constexpr T *fill_n(T *first, N n, const V &value) {
    if (n <= 0) return first;
    std::fill(first, first + n, value);
    return first + n;
}

template <class I, class J>
constexpr bool equal(I first, I last, J other) {
    for (; first != last; ++first, ++other)
        if (!(*first == *other)) return false;
    return true;
}
template <class I, class J, class Same>
constexpr auto equal(I first, I last, J other, Same same) -> enable_if_t<!is_same<I, void>::value, decltype(bool(same(*first, *other)))> {
    for (; first != last; ++first, ++other)
        if (!same(*first, *other)) return false;
    return true;
}
template <class I, class J, class = __if_iterator<J>>
constexpr bool equal(I first, I last, J other, J other_last) {
    for (; first != last && other != other_last; ++first, ++other)
        if (!(*first == *other)) return false;
    return first == last && other == other_last;
}
template <class I, class J>
constexpr bool lexicographical_compare(I first, I last, J other, J other_last) {
    for (; first != last && other != other_last; ++first, ++other) {
        if (*first < *other) return true;
        if (*other < *first) return false;
    }
    return first == last && other != other_last;
}
template <class I, class J, class Less>
constexpr bool lexicographical_compare(I first, I last, J other, J other_last, Less less) {
    for (; first != last && other != other_last; ++first, ++other) {
        if (less(*first, *other)) return true;
        if (less(*other, *first)) return false;
    }
    return first == last && other != other_last;
}

template <class I, class T>
constexpr I find(I first, I last, const T &value) {
    while (first != last && !(*first == value)) ++first;
    return first;
}
template <class I, class Is>
constexpr I find_if(I first, I last, Is is) {
    while (first != last && !is(*first)) ++first;
    return first;
}
template <class I, class Is>
constexpr I remove_if(I first, I last, Is is) {
    first = std::find_if(first, last, is);
    if (first == last) return first;
    for (I it = first; ++it != last;)
        if (!is(*it)) *first++ = std::move(*it);
    return first;
}
template <class I>
constexpr void reverse(I first, I last) {
    while (first != last && first != --last) {
        std::iter_swap(first, last);
        ++first;
    }
}
template <class I>
constexpr I rotate(I first, I middle, I last) {
    if (first == middle) return last;
    if (middle == last) return first;
    I read = middle, write = first, restart = first;
    for (; read != last; ++read, ++write) {
        if (write == restart) restart = read;
        std::iter_swap(write, read);
    }
    std::rotate(write, restart, last);
    return write;
}

}  // namespace std
