// Iterators whose elements are computed, or come from elsewhere.
#pragma once
#include <thrust/detail/system.h>
#include <thrust/tuple.h>

namespace thrust {

// Stands for the type that an iterator would choose itself.
struct use_default {};

namespace detail {

// What is assigned to it is gone.
struct sink {
    template <class T>
    constexpr const sink &operator=(const T &) const { return *this; }
};

// What random access takes, given how far an iterator has gone.
template <class Self, class V, class R>
struct steps {
    using value_type = V;
    using reference = R;
    using difference_type = ptrdiff_t;
    using pointer = void;
    using iterator_category = std::random_access_iterator_tag;

    constexpr Self &self() { return static_cast<Self &>(*this); }
    constexpr const Self &self() const { return static_cast<const Self &>(*this); }
    constexpr Self &operator+=(ptrdiff_t n) { return self().move(n), self(); }
    constexpr Self &operator-=(ptrdiff_t n) { return self().move(-n), self(); }
    constexpr Self &operator++() { return self().move(1), self(); }
    constexpr Self &operator--() { return self().move(-1), self(); }
    constexpr Self operator++(int) {
        Self before = self();
        self().move(1);
        return before;
    }
    constexpr Self operator--(int) {
        Self before = self();
        self().move(-1);
        return before;
    }
    constexpr R operator[](ptrdiff_t n) const { return *(self() + n); }
    friend constexpr Self operator+(Self it, ptrdiff_t n) { return it += n; }
    friend constexpr Self operator+(ptrdiff_t n, Self it) { return it += n; }
    friend constexpr Self operator-(Self it, ptrdiff_t n) { return it -= n; }
    friend constexpr ptrdiff_t operator-(const Self &a, const Self &b) { return b.to(a); }
    friend constexpr bool operator==(const Self &a, const Self &b) { return b.to(a) == 0; }
    friend constexpr bool operator!=(const Self &a, const Self &b) { return b.to(a) != 0; }
    friend constexpr bool operator<(const Self &a, const Self &b) { return a.to(b) > 0; }
};

template <class R>
using plain = std::remove_cv_t<std::remove_reference_t<R>>;
template <class I>
using raw_of = decltype(raw(std::declval<I>()));

} // namespace detail

template <class T>
class counting_iterator : public detail::steps<counting_iterator<T>, T, T> {
    T at;

  public:
    constexpr counting_iterator(T from = T()) : at(from) {}
    constexpr T operator*() const { return at; }
    constexpr void move(ptrdiff_t n) { at += T(n); }
    constexpr ptrdiff_t to(const counting_iterator &other) const { return ptrdiff_t(other.at) - ptrdiff_t(at); }
};
template <class T>
constexpr counting_iterator<T> make_counting_iterator(T from) { return counting_iterator<T>(from); }

template <class T>
class constant_iterator : public detail::steps<constant_iterator<T>, T, T> {
    T value;
    ptrdiff_t at;

  public:
    constexpr constant_iterator(T v = T(), ptrdiff_t from = 0) : value(v), at(from) {}
    constexpr T operator*() const { return value; }
    constexpr void move(ptrdiff_t n) { at += n; }
    constexpr ptrdiff_t to(const constant_iterator &other) const { return other.at - at; }
};
template <class T>
constexpr constant_iterator<T> make_constant_iterator(T value, ptrdiff_t from = 0) {
    return constant_iterator<T>(value, from);
}

template <class F, class I>
class transform_iterator
    : public detail::steps<transform_iterator<F, I>,
                           detail::plain<decltype(std::declval<F>()(*std::declval<detail::raw_of<I>>()))>,
                           decltype(std::declval<F>()(*std::declval<detail::raw_of<I>>()))> {
    I base_;
    mutable F f;

  public:
    constexpr transform_iterator(I it, F function) : base_(it), f(function) {}
    constexpr auto operator*() const { return f(*base_); }
    constexpr void move(ptrdiff_t n) { base_ += n; }
    constexpr ptrdiff_t to(const transform_iterator &other) const { return other.base_ - base_; }
    constexpr I base() const { return base_; }
    constexpr F functor() const { return f; }
};
template <class F, class I>
constexpr transform_iterator<F, I> make_transform_iterator(I it, F f) { return transform_iterator<F, I>(it, f); }

// Elements of one sequence in the order that another gives.
template <class E, class M>
class permutation_iterator
    : public detail::steps<permutation_iterator<E, M>, detail::value_of<E>,
                           decltype(*std::declval<E>())> {
    E elements;
    M map;

  public:
    constexpr permutation_iterator(E e, M m) : elements(e), map(m) {}
    constexpr decltype(auto) operator*() const { return *(elements + ptrdiff_t(*map)); }
    constexpr void move(ptrdiff_t n) { map += n; }
    constexpr ptrdiff_t to(const permutation_iterator &other) const { return other.map - map; }
    constexpr E base() const { return elements; }
    constexpr M indices() const { return map; }
};
template <class E, class M>
constexpr permutation_iterator<E, M> make_permutation_iterator(E e, M m) { return {e, m}; }

// Takes what is written and keeps nothing. Where that would lie says nothing: its parameter is Thrust's.
template <class System = use_default>
class discard_iterator : public detail::steps<discard_iterator<System>, void, detail::sink> {
    ptrdiff_t at = 0;

  public:
    constexpr discard_iterator(ptrdiff_t from = 0) : at(from) {}
    constexpr detail::sink operator*() const { return {}; }
    constexpr void move(ptrdiff_t n) { at += n; }
    constexpr ptrdiff_t to(const discard_iterator &other) const { return other.at - at; }
};
inline constexpr discard_iterator<> make_discard_iterator(ptrdiff_t from = 0) { return {from}; }

// Several sequences side by side: each element is a tuple.
template <class T>
class zip_iterator;
template <class... I>
class zip_iterator<std::tuple<I...>>
    : public detail::steps<zip_iterator<std::tuple<I...>>, std::tuple<detail::value_of<I>...>,
                           std::tuple<decltype(*std::declval<I>())...>> {
    std::tuple<I...> at;

  public:
    constexpr zip_iterator(std::tuple<I...> its) : at(its) {}
    constexpr std::tuple<decltype(*std::declval<I>())...> operator*() const {
        return std::apply([](const I &...it) { return std::tuple<decltype(*it)...>(*it...); }, at);
    }
    constexpr void move(ptrdiff_t n) { std::apply([n](I &...it) { ((it += n), ...); }, at); }
    constexpr ptrdiff_t to(const zip_iterator &other) const { return std::get<0>(other.at) - std::get<0>(at); }
    constexpr const std::tuple<I...> &get_iterator_tuple() const { return at; }
};
template <class... I>
constexpr zip_iterator<std::tuple<I...>> make_zip_iterator(std::tuple<I...> its) { return {its}; }
template <class... I>
constexpr zip_iterator<std::tuple<I...>> make_zip_iterator(I... its) { return {std::tuple<I...>(its...)}; }

// A function of several arguments for the tuples of a zip_iterator.
template <class F>
struct zip_function {
    mutable F f;
    template <class T>
    constexpr decltype(auto) operator()(T &&t) const { return std::apply(f, static_cast<T &&>(t)); }
};
template <class F>
constexpr zip_function<F> make_zip_function(F f) { return {f}; }

namespace detail {

template <class T>
struct place_of<counting_iterator<T>> {
    static constexpr place value = place::nobody;
};
template <class T>
struct place_of<constant_iterator<T>> {
    static constexpr place value = place::nobody;
};
template <class System>
struct place_of<discard_iterator<System>> {
    static constexpr place value = place::nobody;
};
template <class F, class I>
struct place_of<transform_iterator<F, I>> : place_of<I> {};
template <class E, class M>
struct place_of<permutation_iterator<E, M>> : place_of<E> {};
template <class... I>
struct place_of<zip_iterator<std::tuple<I...>>> {
    static constexpr place value = joined<I...>();
};

template <class F, class I>
constexpr auto raw(transform_iterator<F, I> it) {
    return transform_iterator<F, raw_of<I>>(raw(it.base()), it.functor());
}
template <class E, class M>
constexpr auto raw(permutation_iterator<E, M> it) {
    return permutation_iterator<raw_of<E>, raw_of<M>>(raw(it.base()), raw(it.indices()));
}
template <class... I>
constexpr auto raw(zip_iterator<std::tuple<I...>> it) {
    return std::apply(
        [](const I &...each) { return zip_iterator<std::tuple<raw_of<I>...>>(std::tuple<raw_of<I>...>(raw(each)...)); },
        it.get_iterator_tuple());
}

} // namespace detail
} // namespace thrust
