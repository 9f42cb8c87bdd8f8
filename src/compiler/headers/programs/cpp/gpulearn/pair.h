// Two values, also by structured binding.
#pragma once
#include <gpulearn/move.h>

namespace std {

template <class... T>
class tuple;
struct piecewise_construct_t {
    explicit constexpr piecewise_construct_t() = default;
};
inline constexpr piecewise_construct_t piecewise_construct{};

template <class A, class B>
struct pair {
    using first_type = A;
    using second_type = B;
    A first;
    B second;

    constexpr pair() : first(), second() {}
    constexpr pair(const A &a, const B &b) : first(a), second(b) {}
    template <class U = A, class V = B,
              class = enable_if_t<__is_constructible(A, U &&) && __is_constructible(B, V &&)>>
    constexpr pair(U &&a, V &&b) : first(static_cast<U &&>(a)), second(static_cast<V &&>(b)) {}
    template <class U, class V>
    constexpr pair(const pair<U, V> &other) : first(other.first), second(other.second) {}
    template <class U, class V>
    constexpr pair(pair<U, V> &&other)
        : first(static_cast<U &&>(other.first)), second(static_cast<V &&>(other.second)) {}
    // Defined in <tuple>.
    template <class... U, class... V>
    pair(piecewise_construct_t, tuple<U...> a, tuple<V...> b);
    pair(const pair &) = default;
    pair(pair &&) = default;

    constexpr pair &operator=(conditional_t<__is_assignable(A &, const A &) && __is_assignable(B &, const B &),
                                            const pair &, const struct __no_copy &> other) {
        first = other.first;
        second = other.second;
        return *this;
    }
    constexpr pair &operator=(pair &&other) {
        first = static_cast<A &&>(other.first);
        second = static_cast<B &&>(other.second);
        return *this;
    }
    template <class U, class V>
    constexpr pair &operator=(const pair<U, V> &other) {
        first = other.first;
        second = other.second;
        return *this;
    }
    template <class U, class V>
    constexpr pair &operator=(pair<U, V> &&other) {
        first = static_cast<U &&>(other.first);
        second = static_cast<V &&>(other.second);
        return *this;
    }
    constexpr void swap(pair &other) {
        using std::swap;
        swap(first, other.first);
        swap(second, other.second);
    }
};
template <class A, class B>
pair(A, B) -> pair<A, B>;

template <class A, class B>
constexpr pair<decay_t<A>, decay_t<B>> make_pair(A &&a, B &&b) {
    return pair<decay_t<A>, decay_t<B>>(static_cast<A &&>(a), static_cast<B &&>(b));
}
template <class A, class B>
constexpr void swap(pair<A, B> &a, pair<A, B> &b) {
    a.swap(b);
}
template <class A, class B>
constexpr bool operator==(const pair<A, B> &a, const pair<A, B> &b) {
    return a.first == b.first && a.second == b.second;
}
template <class A, class B>
constexpr bool operator!=(const pair<A, B> &a, const pair<A, B> &b) {
    return !(a == b);
}
template <class A, class B>
constexpr bool operator<(const pair<A, B> &a, const pair<A, B> &b) {
    return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
}
template <class A, class B>
constexpr bool operator>(const pair<A, B> &a, const pair<A, B> &b) {
    return b < a;
}
template <class A, class B>
constexpr bool operator<=(const pair<A, B> &a, const pair<A, B> &b) {
    return !(b < a);
}
template <class A, class B>
constexpr bool operator>=(const pair<A, B> &a, const pair<A, B> &b) {
    return !(a < b);
}

// The elements of pairs, tuples and arrays by number; declared as libcu++ does.
template <class... T>
struct tuple_size;
// The type itself, where a constant says how many it has: of other classes `const auto [a, b]` names the members.
template <class T, size_t = tuple_size<T>::value>
using __if_it_has_elements = T;
template <class T>
struct tuple_size<const __if_it_has_elements<T>> : tuple_size<T> {};
template <class T>
inline constexpr size_t tuple_size_v = tuple_size<T>::value;
template <size_t i, class... T>
struct tuple_element;
template <size_t i, class T>
struct tuple_element<i, const T> {
    using type = const typename tuple_element<i, T>::type;
};
template <size_t i, class T>
using tuple_element_t = typename tuple_element<i, T>::type;

template <class A, class B>
struct tuple_size<pair<A, B>> : integral_constant<size_t, 2> {};
template <class A, class B>
struct tuple_element<0, pair<A, B>> {
    using type = A;
};
template <class A, class B>
struct tuple_element<1, pair<A, B>> {
    using type = B;
};
template <size_t i, class A, class B>
constexpr auto &get(pair<A, B> &p) noexcept {
    if constexpr (i == 0) return p.first;
    else return p.second;
}
template <size_t i, class A, class B>
constexpr const auto &get(const pair<A, B> &p) noexcept {
    if constexpr (i == 0) return p.first;
    else return p.second;
}
template <size_t i, class A, class B>
constexpr tuple_element_t<i, pair<A, B>> &&get(pair<A, B> &&p) noexcept {
    return static_cast<tuple_element_t<i, pair<A, B>> &&>(get<i>(p));
}
template <class T, class A, class B>
constexpr T &get(pair<A, B> &p) noexcept {
    return get<is_same<T, A>::value ? 0 : 1>(p);
}
template <class T, class A, class B>
constexpr const T &get(const pair<A, B> &p) noexcept {
    return get<is_same<T, A>::value ? 0 : 1>(p);
}

}  // namespace std
