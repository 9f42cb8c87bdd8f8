// Moving and swapping values. The compiler brings std::move and std::forward.
#pragma once
#include <initializer_list>
#include <type_traits>

namespace std {

template <class T>
constexpr T *addressof(T &value) noexcept {
    return __builtin_addressof(value);
}
template <class T>
const T *addressof(const T &&) = delete;

template <class T>
constexpr void swap(T &a, T &b) {
    T kept = static_cast<T &&>(a);
    a = static_cast<T &&>(b);
    b = static_cast<T &&>(kept);
}
template <class T, size_t n>
constexpr void swap(T (&a)[n], T (&b)[n]) {
    for (size_t i = 0; i < n; ++i) swap(a[i], b[i]);
}

template <class T, class U = T>
constexpr T exchange(T &value, U &&next) {
    T before = static_cast<T &&>(value);
    value = static_cast<U &&>(next);
    return before;
}

template <class T>
constexpr const T &as_const(T &value) noexcept {
    return value;
}
template <class T>
void as_const(const T &&) = delete;

template <class T>
constexpr conditional_t<!is_nothrow_move_constructible<T>::value && is_copy_constructible<T>::value, const T &, T &&>
move_if_noexcept(T &value) noexcept {
    return static_cast<T &&>(value);
}

struct in_place_t {
    explicit constexpr in_place_t() = default;
};
inline constexpr in_place_t in_place{};
template <class T>
struct in_place_type_t {
    explicit constexpr in_place_type_t() = default;
};
template <class T>
inline constexpr in_place_type_t<T> in_place_type{};
template <size_t i>
struct in_place_index_t {
    explicit constexpr in_place_index_t() = default;
};
template <size_t i>
inline constexpr in_place_index_t<i> in_place_index{};

}  // namespace std
