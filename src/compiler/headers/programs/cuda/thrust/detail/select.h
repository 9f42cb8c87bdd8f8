// Algorithms that keep some elements: flags, their prefix sums, then each goes to its place.
#pragma once
#include <thrust/detail/scan.h>

namespace thrust {
namespace detail {

// Writes the elements of `in` whose number passes `test` one after the other; how many.
template <bool there, class P, class I, class O, class Test>
size_t compact(const P &p, I in, size_t n, O out, Test test) {
    if (n == 0) return 0;
    if constexpr (there) {
        scratch<unsigned> places(n + 1);
        unsigned *place = places.data;
        each<true>(p, n + 1, [=](size_t i) mutable { place[i] = i < n && test(i) ? 1 : 0; });
        unsigned zero = 0;
        scan_there<unsigned>(p, place, n + 1, place, &zero, std::plus<unsigned>());
        each<true>(p, n, [=](size_t i) {
            if (place[i + 1] != place[i]) *(out + place[i]) = *(in + i);
        });
        return fetch(place + n, p.stream);
    } else {
        size_t kept = 0;
        for (size_t i = 0; i < n; i++)
            if (test(i)) *(out + kept++) = *(in + i);
        return kept;
    }
}

template <class P, class I, class S, class O, class Test>
O copy_if(const P &p, I first, I last, S stencil, O out, Test test) {
    auto flags = raw(stencil);
    auto passes = [=](size_t i) mutable { return bool(test(*(flags + i))); };
    return out + compact<works_on_device<P, I, O>()>(p, raw(first), last - first, raw(out), passes);
}
template <class P, class I, class O, class Test>
O copy_if(const P &p, I first, I last, O out, Test test) { return detail::copy_if(p, first, last, first, out, test); }
template <class Test>
struct fails {
    mutable Test test;
    template <class T>
    constexpr bool operator()(const T &t) const { return !test(t); }
};
template <class P, class I, class O, class Test>
O remove_copy_if(const P &p, I first, I last, O out, Test test) {
    return detail::copy_if(p, first, last, first, out, fails<Test>{test});
}

// The same in place: through temporary memory.
template <class P, class I, class Test>
I keep(const P &p, I first, I last, Test test) {
    using T = value_of<I>;
    size_t n = last - first, kept;
    auto at = raw(first);
    if constexpr (works_on_device<P, I>()) {
        scratch<T> temporary(n);
        kept = compact<true>(p, at, n, temporary.data, test);
        T *from = temporary.data;
        each<true>(p, kept, [=](size_t i) { *(at + i) = from[i]; });
        finish(p);
    } else {
        kept = compact<false>(p, at, n, at, test);
    }
    return first + kept;
}
template <class P, class I, class Test>
I remove_if(const P &p, I first, I last, Test test) {
    auto at = raw(first);
    return detail::keep(p, first, last, [=](size_t i) { return !test(*(at + i)); });
}
template <class P, class I, class T>
I remove(const P &p, I first, I last, T value) { return detail::remove_if(p, first, last, equals<T>{value}); }
template <class P, class I, class F>
I unique(const P &p, I first, I last, F f) {
    auto at = raw(first);
    if constexpr (works_on_device<P, I>()) {
        return detail::keep(p, first, last, [=](size_t i) { return i == 0 || !f(*(at + (i - 1)), *(at + i)); });
    } else {
        return first == last ? last : [&] {
            I kept = first;
            for (I it = first + 1; it != last; ++it)
                if (!f(*kept, *it)) *++kept = *it;
            return kept + 1;
        }();
    }
}
template <class P, class I>
I unique(const P &p, I first, I last) { return detail::unique(p, first, last, std::equal_to<value_of<I>>()); }
template <class P, class I, class O>
O unique_copy(const P &p, I first, I last, O out) {
    auto at = raw(first);
    auto test = [=](size_t i) { return i == 0 || !(*(at + (i - 1)) == *(at + i)); };
    return out + compact<works_on_device<P, I, O>()>(p, at, last - first, raw(out), test);
}
// Of each run of equal keys the first, with its value.
template <class P, class K, class V, class Equal>
std::pair<K, V> unique_by_key(const P &p, K first, K last, V values, Equal same) {
    auto keys = raw(first);
    auto begins = [=](size_t i) { return i == 0 || !same(*(keys + (i - 1)), *(keys + i)); };
    V kept = detail::keep(p, values, values + (last - first), begins);
    return {detail::unique(p, first, last, same), kept};
}
template <class P, class K, class V>
std::pair<K, V> unique_by_key(const P &p, K first, K last, V values) {
    return detail::unique_by_key(p, first, last, values, std::equal_to<value_of<K>>());
}
template <class P, class K, class V, class OK, class OV, class Equal>
std::pair<OK, OV> unique_by_key_copy(const P &p, K first, K last, V values, OK keys_out, OV values_out, Equal same) {
    auto keys = raw(first);
    auto begins = [=](size_t i) { return i == 0 || !same(*(keys + (i - 1)), *(keys + i)); };
    constexpr bool there = works_on_device<P, K, V, OK, OV>();
    size_t n = last - first;
    compact<there>(p, raw(values), n, raw(values_out), begins);
    size_t kept = compact<there>(p, keys, n, raw(keys_out), begins);
    if constexpr (there) finish(p);
    return {keys_out + kept, values_out + kept};
}
template <class P, class K, class V, class OK, class OV>
std::pair<OK, OV> unique_by_key_copy(const P &p, K first, K last, V values, OK keys_out, OV values_out) {
    return detail::unique_by_key_copy(p, first, last, values, keys_out, values_out, std::equal_to<value_of<K>>());
}
template <class P, class I, class Test>
I partition(const P &p, I first, I last, Test test) {
    using T = value_of<I>;
    size_t n = last - first, kept;
    auto at = raw(first);
    auto passes = [=](size_t i) { return bool(test(*(at + i))); };
    auto others = [=](size_t i) { return !test(*(at + i)); };
    if constexpr (works_on_device<P, I>()) {
        scratch<T> temporary(n);
        T *from = temporary.data;
        kept = compact<true>(p, at, n, from, passes);
        compact<true>(p, at, n, from + kept, others);
        each<true>(p, n, [=](size_t i) { *(at + i) = from[i]; });
        finish(p);
    } else {
        std::vector<T> temporary(n);
        kept = compact<false>(p, at, n, temporary.data(), passes);
        compact<false>(p, at, n, temporary.data() + kept, others);
        for (size_t i = 0; i < n; i++) *(at + i) = temporary[i];
    }
    return first + kept;
}
template <class P, class I, class Test>
I stable_partition(const P &p, I first, I last, Test test) { return detail::partition(p, first, last, test); }

// Neighbours with equal keys to one.
template <class P, class K, class V, class OK, class OV, class Equal, class F>
std::pair<OK, OV> reduce_by_key(const P &p, K first, K last, V values, OK keys_out, OV values_out, Equal same, F f) {
    using T = value_of<V>;
    size_t n = last - first;
    auto keys = raw(first);
    auto in = raw(values);
    auto to = raw(values_out);
    auto begins = [=](size_t i) { return i == 0 || !same(*(keys + (i - 1)), *(keys + i)); };
    constexpr bool there = works_on_device<P, K, V, OK, OV>();
    auto run = [=](size_t *starts, size_t runs) {
        return [=](size_t r) {
            size_t i = starts[r], end = r + 1 < runs ? starts[r + 1] : n;
            T sum = *(in + i);
            for (i++; i < end; i++) sum = f(sum, T(*(in + i)));
            *(to + r) = sum;
        };
    };
    counting_iterator<size_t> numbers(0);
    size_t runs;
    if constexpr (there) {
        scratch<size_t> starts(n);
        runs = compact<true>(p, numbers, n, starts.data, begins);
        each<true>(p, runs, run(starts.data, runs));
        compact<true>(p, keys, n, raw(keys_out), begins);
        finish(p);
    } else {
        std::vector<size_t> starts(n);
        runs = compact<false>(p, numbers, n, starts.data(), begins);
        each<false>(p, runs, run(starts.data(), runs));
        compact<false>(p, keys, n, raw(keys_out), begins);
    }
    return {keys_out + runs, values_out + runs};
}
template <class P, class K, class V, class OK, class OV, class Equal>
std::pair<OK, OV> reduce_by_key(const P &p, K first, K last, V values, OK keys_out, OV values_out, Equal same) {
    return detail::reduce_by_key(p, first, last, values, keys_out, values_out, same, std::plus<value_of<V>>());
}
template <class P, class K, class V, class OK, class OV>
std::pair<OK, OV> reduce_by_key(const P &p, K first, K last, V values, OK keys_out, OV values_out) {
    return detail::reduce_by_key(p, first, last, values, keys_out, values_out, std::equal_to<value_of<K>>());
}

} // namespace detail

__GPULEARN_THRUST(copy_if)
__GPULEARN_THRUST(remove_copy_if)
__GPULEARN_THRUST(remove_if)
__GPULEARN_THRUST(remove)
__GPULEARN_THRUST(unique)
__GPULEARN_THRUST(unique_copy)
__GPULEARN_THRUST(unique_by_key)
__GPULEARN_THRUST(unique_by_key_copy)
__GPULEARN_THRUST(partition)
__GPULEARN_THRUST(stable_partition)
__GPULEARN_THRUST(reduce_by_key)

} // namespace thrust
