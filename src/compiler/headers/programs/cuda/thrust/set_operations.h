// Sets as sorted sequences: of equal elements, the first of each sequence belong together, one by one.
#pragma once
#include <thrust/detail/select.h>
#include <thrust/detail/sort.h>

namespace thrust {
namespace detail {

// Whether an element of `a`, by its number, has one in `b` that belongs to it.
template <class I, class J, class Less>
struct has_partner {
    I a;
    J b;
    size_t m, n;
    Less less;
    constexpr bool operator()(size_t i) const {
        auto value = value_of<I>(*(a + i));
        size_t before = i - rank_of(a, m, value, less, false);
        return before < rank_of(b, n, value, less, true) - rank_of(b, n, value, less, false);
    }
};
template <class I, class J, class Less>
has_partner<I, J, Less> partners(I a, size_t m, J b, size_t n, Less less) { return {a, b, m, n, less}; }

template <class P, class I, class J, class O, class Less>
O set_intersection(const P &p, I first, I last, J second, J second_last, O out, Less less) {
    auto both = partners(raw(first), last - first, raw(second), second_last - second, less);
    return out + compact<works_on_device<P, I, J, O>()>(p, raw(first), last - first, raw(out), both);
}
template <class P, class I, class J, class O, class Less>
O set_difference(const P &p, I first, I last, J second, J second_last, O out, Less less) {
    auto both = partners(raw(first), last - first, raw(second), second_last - second, less);
    auto alone = [=](size_t i) { return !both(i); };
    return out + compact<works_on_device<P, I, J, O>()>(p, raw(first), last - first, raw(out), alone);
}
// What is alone in either sequence, and with `all` also what is in both.
template <class P, class I, class J, class O, class Less>
O united(const P &p, I first, I last, J second, J second_last, O out, Less less, bool all) {
    using T = value_of<I>;
    constexpr bool there = works_on_device<P, I, J, O>();
    auto a = raw(first);
    auto b = raw(second);
    size_t m = last - first, n = second_last - second;
    auto in_b = partners(a, m, b, n, less);
    auto in_a = partners(b, n, a, m, less);
    auto join = [&](auto where, T *kept) {
        size_t of_a = compact<there>(where, a, m, kept, [=](size_t i) { return all || !in_b(i); });
        size_t of_b = compact<there>(where, b, n, kept + m, [=](size_t i) { return !in_a(i); });
        return detail::merge(where, kept, kept + of_a, kept + m, kept + m + of_b, out, less);
    };
    if constexpr (there) {
        scratch<T> kept(m + n);
        return join(on_device(p.stream), kept.data);
    } else {
        std::vector<T> kept(m + n);
        return join(on_host(), kept.data());
    }
}
template <class P, class I, class J, class O, class Less>
O set_union(const P &p, I first, I last, J second, J second_last, O out, Less less) {
    return detail::united(p, first, last, second, second_last, out, less, true);
}
template <class P, class I, class J, class O, class Less>
O set_symmetric_difference(const P &p, I first, I last, J second, J second_last, O out, Less less) {
    return detail::united(p, first, last, second, second_last, out, less, false);
}
#define __GPULEARN_BY_LESS(name)                                                                            \
    template <class P, class I, class J, class O>                                                           \
    O name(const P &p, I first, I last, J second, J second_last, O out) {                                   \
        return detail::name(p, first, last, second, second_last, out, std::less<value_of<I>>());            \
    }
__GPULEARN_BY_LESS(set_intersection)
__GPULEARN_BY_LESS(set_difference)
__GPULEARN_BY_LESS(set_union)
__GPULEARN_BY_LESS(set_symmetric_difference)
#undef __GPULEARN_BY_LESS

} // namespace detail

__GPULEARN_THRUST(set_intersection)
__GPULEARN_THRUST(set_difference)
__GPULEARN_THRUST(set_union)
__GPULEARN_THRUST(set_symmetric_difference)

} // namespace thrust
