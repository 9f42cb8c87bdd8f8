// Algorithms that treat each element alone.
#pragma once
#include <thrust/detail/each.h>
#include <vector>

namespace thrust {
namespace detail {

template <class P, class I, class N, class F>
I for_each_n(const P &p, I first, N n, F f) {
    auto in = raw(first);
    constexpr bool there = works_on_device<P, I>();
    each<there>(p, n, [=](size_t i) mutable { f(*(in + i)); });
    if constexpr (there) finish(p);
    return first + n;
}
template <class P, class I, class F>
I for_each(const P &p, I first, I last, F f) { return detail::for_each_n(p, first, last - first, f); }

template <class P, class I, class O, class F>
O transform(const P &p, I first, I last, O out, F f) {
    auto in = raw(first);
    auto to = raw(out);
    constexpr bool there = works_on_device<P, I, O>();
    each<there>(p, last - first, [=](size_t i) mutable { *(to + i) = f(*(in + i)); });
    if constexpr (there) finish(p);
    return out + (last - first);
}
template <class P, class I, class J, class O, class F>
O transform(const P &p, I first, I last, J second, O out, F f) {
    auto in = raw(first);
    auto with = raw(second);
    auto to = raw(out);
    constexpr bool there = works_on_device<P, I, J, O>();
    each<there>(p, last - first, [=](size_t i) mutable { *(to + i) = f(*(in + i), *(with + i)); });
    if constexpr (there) finish(p);
    return out + (last - first);
}
template <class P, class I, class O, class F, class Test>
O transform_if(const P &p, I first, I last, O out, F f, Test test) {
    auto in = raw(first);
    auto to = raw(out);
    constexpr bool there = works_on_device<P, I, O>();
    each<there>(p, last - first, [=](size_t i) mutable {
        if (test(*(in + i))) *(to + i) = f(*(in + i));
    });
    if constexpr (there) finish(p);
    return out + (last - first);
}

template <class P, class I, class T>
void fill(const P &p, I first, I last, T value) {
    auto to = raw(first);
    constexpr bool there = works_on_device<P, I>();
    each<there>(p, last - first, [=](size_t i) { *(to + i) = value; });
    if constexpr (there) finish(p);
}
template <class P, class I, class N, class T>
I fill_n(const P &p, I first, N n, T value) { return detail::fill(p, first, first + n, value), first + n; }

template <class P, class I, class T, class S>
void sequence(const P &p, I first, I last, T start, S step) {
    auto to = raw(first);
    constexpr bool there = works_on_device<P, I>();
    each<there>(p, last - first, [=](size_t i) { *(to + i) = value_of<I>(start + value_of<I>(i) * step); });
    if constexpr (there) finish(p);
}
template <class P, class I, class T>
void sequence(const P &p, I first, I last, T start) { detail::sequence(p, first, last, start, value_of<I>(1)); }
template <class P, class I>
void sequence(const P &p, I first, I last) { detail::sequence(p, first, last, value_of<I>(0)); }

template <class P, class I, class F>
void tabulate(const P &p, I first, I last, F f) {
    auto to = raw(first);
    constexpr bool there = works_on_device<P, I>();
    each<there>(p, last - first, [=](size_t i) mutable { *(to + i) = f(i); });
    if constexpr (there) finish(p);
}
template <class P, class I, class F>
void generate(const P &p, I first, I last, F f) {
    constexpr bool there = works_on_device<P, I>();
    auto to = raw(first);
    if constexpr (there) {
        each<true>(p, last - first, [=](size_t i) mutable { *(to + i) = f(); });
        finish(p);
    } else {
        for (; to != raw(last); ++to) *to = f();
    }
}

template <class P, class M, class I, class O>
O gather(const P &p, M map, M map_last, I first, O out) {
    auto index = raw(map);
    auto in = raw(first);
    auto to = raw(out);
    constexpr bool there = works_on_device<P, M, I, O>();
    each<there>(p, map_last - map, [=](size_t i) { *(to + i) = *(in + *(index + i)); });
    if constexpr (there) finish(p);
    return out + (map_last - map);
}
template <class P, class I, class M, class O>
void scatter(const P &p, I first, I last, M map, O out) {
    auto index = raw(map);
    auto in = raw(first);
    auto to = raw(out);
    constexpr bool there = works_on_device<P, I, M, O>();
    each<there>(p, last - first, [=](size_t i) { *(to + *(index + i)) = *(in + i); });
    if constexpr (there) finish(p);
}

template <class P, class I, class Test, class T>
void replace_if(const P &p, I first, I last, Test test, T value) {
    auto at = raw(first);
    constexpr bool there = works_on_device<P, I>();
    each<there>(p, last - first, [=](size_t i) mutable {
        if (test(*(at + i))) *(at + i) = value;
    });
    if constexpr (there) finish(p);
}
template <class P, class I, class T>
void replace(const P &p, I first, I last, T old, T value) {
    detail::replace_if(p, first, last, [=](const T &held) { return held == old; }, value);
}

template <class P, class I>
void reverse(const P &p, I first, I last) {
    auto at = raw(first);
    size_t n = last - first;
    constexpr bool there = works_on_device<P, I>();
    each<there>(p, n / 2, [=](size_t i) {
        value_of<I> held = *(at + i);
        *(at + i) = *(at + (n - 1 - i));
        *(at + (n - 1 - i)) = held;
    });
    if constexpr (there) finish(p);
}
template <class P, class I, class J>
J swap_ranges(const P &p, I first, I last, J other) {
    auto at = raw(first);
    auto with = raw(other);
    constexpr bool there = works_on_device<P, I, J>();
    each<there>(p, last - first, [=](size_t i) {
        value_of<I> held = *(at + i);
        *(at + i) = *(with + i);
        *(with + i) = held;
    });
    if constexpr (there) finish(p);
    return other + (last - first);
}

// Copies, also between host and device.
template <class P, class I, class O>
O copy(const P &p, I first, I last, O out) {
    using T = value_of<O>;
    constexpr bool automatically = std::is_same_v<P, automatic>;
    constexpr bool from_device = automatically && place_of<I>::value == place::device;
    constexpr bool to_device = automatically && place_of<O>::value == place::device;
    constexpr bool from_host = automatically && place_of<I>::value == place::host;
    if constexpr (from_host && to_device) {
        std::vector<T> staged;
        const void *from = nullptr;
        size_t n = std::distance(first, last);
        if constexpr (std::is_pointer_v<I> && std::is_same_v<value_of<I>, T>) {
            from = first;
        } else {
            staged.assign(first, last);
            from = staged.data();
        }
        if (n) check(cudaMemcpy(out.get(), from, n * sizeof(T), cudaMemcpyHostToDevice));
        return out + n;
    } else if constexpr (from_device && !to_device && place_of<O>::value == place::host) {
        using V = value_of<I>;
        size_t n = last - first;
        scratch<V> gathered(std::is_pointer_v<decltype(raw(first))> ? 0 : n);
        const V *from = gathered.data;
        if constexpr (std::is_pointer_v<decltype(raw(first))>) from = raw(first);
        else detail::transform(on_device(), first, last, gathered.data, [](const V &v) { return v; });
        if constexpr (std::is_pointer_v<O> && std::is_same_v<T, V>) {
            if (n) check(cudaMemcpy(out, from, n * sizeof(V), cudaMemcpyDeviceToHost));
            return out + n;
        } else {
            std::vector<V> here(n);
            if (n) check(cudaMemcpy(here.data(), from, n * sizeof(V), cudaMemcpyDeviceToHost));
            for (const V &v : here) *out++ = v;
            return out;
        }
    } else if constexpr (works_on_device<P, I, O>()) {
        auto in = raw(first);
        auto to = raw(out);
        each<true>(p, last - first, [=](size_t i) { *(to + i) = *(in + i); });
        finish(p);
        return out + (last - first);
    } else {
        for (; first != last; ++first, ++out) *out = *first;
        return out;
    }
}
template <class P, class I, class N, class O>
O copy_n(const P &p, I first, N n, O out) { return detail::copy(p, first, first + n, out); }

} // namespace detail

__GPULEARN_THRUST(for_each)
__GPULEARN_THRUST(for_each_n)
__GPULEARN_THRUST(transform)
__GPULEARN_THRUST(transform_if)
__GPULEARN_THRUST(fill)
__GPULEARN_THRUST(fill_n)
__GPULEARN_THRUST(sequence)
__GPULEARN_THRUST(tabulate)
__GPULEARN_THRUST(generate)
__GPULEARN_THRUST(gather)
__GPULEARN_THRUST(scatter)
__GPULEARN_THRUST(replace)
__GPULEARN_THRUST(replace_if)
__GPULEARN_THRUST(reverse)
__GPULEARN_THRUST(swap_ranges)
__GPULEARN_THRUST(copy)
__GPULEARN_THRUST(copy_n)

} // namespace thrust
