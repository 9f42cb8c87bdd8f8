// Sorting by merging: each element finds its place in the merged sequence by a search in the other.
#pragma once
#include <algorithm>
#include <thrust/detail/reduce.h>

namespace thrust {
namespace detail {

// Elements of a sorted sequence that come before `value`; with `equal_too`, also those equal to it.
template <class I, class T, class Less>
constexpr size_t rank_of(I sorted, size_t n, const T &value, Less less, bool equal_too) {
    size_t from = 0;
    while (n > 0) {
        size_t half = n / 2;
        bool before = equal_too ? !less(value, *(sorted + (from + half))) : less(*(sorted + (from + half)), value);
        from = before ? from + half + 1 : from;
        n = before ? n - half - 1 : half;
    }
    return from;
}

struct no_values {};

template <class P, class K, class V, class Less>
void sort_there(const P &p, K *keys, V *values, size_t n, Less less) {
    constexpr bool carries = !std::is_same_v<V, no_values>;
    scratch<K> other(n);
    scratch<V> other_values(carries ? n : 0);
    K *from = keys, *to = other.data;
    V *from_values = values, *to_values = other_values.data;
    for (size_t width = 1; width < n; width *= 2) {
        each<true>(p, n, [=](size_t i) {
            size_t pair = i / (2 * width) * (2 * width), middle = pair + width < n ? pair + width : n;
            size_t end = pair + 2 * width < n ? pair + 2 * width : n;
            K key = from[i];
            // Of equal elements those of the left run stay in front.
            size_t place = i < middle ? i + rank_of(from + middle, end - middle, key, less, false)
                                      : i - middle + pair + rank_of(from + pair, middle - pair, key, less, true);
            to[place] = key;
            if constexpr (carries) to_values[place] = from_values[i];
        });
        std::swap(from, to);
        std::swap(from_values, to_values);
    }
    if (from != keys) {
        check(cudaMemcpyAsync(keys, from, n * sizeof(K), cudaMemcpyDeviceToDevice, p.stream));
        if constexpr (carries)
            check(cudaMemcpyAsync(values, from_values, n * sizeof(V), cudaMemcpyDeviceToDevice, p.stream));
    }
    check(cudaStreamSynchronize(p.stream));
}

template <class P, class I, class Less>
void sort(const P &p, I first, I last, Less less) {
    if constexpr (works_on_device<P, I>()) {
        sort_there(p, raw(first), static_cast<no_values *>(nullptr), last - first, less);
    } else {
        std::stable_sort(first, last, less);
    }
}
template <class P, class I>
void sort(const P &p, I first, I last) { detail::sort(p, first, last, std::less<value_of<I>>()); }
template <class P, class I, class... Less>
void stable_sort(const P &p, I first, I last, Less... less) { detail::sort(p, first, last, less...); }

template <class P, class K, class V, class Less>
void sort_by_key(const P &p, K first, K last, V values, Less less) {
    if constexpr (works_on_device<P, K, V>()) {
        sort_there(p, raw(first), raw(values), last - first, less);
    } else {
        size_t n = last - first;
        std::vector<std::pair<value_of<K>, value_of<V>>> both(n);
        for (size_t i = 0; i < n; i++) both[i] = {*(first + i), *(values + i)};
        std::stable_sort(both.begin(), both.end(), [=](const auto &a, const auto &b) { return less(a.first, b.first); });
        for (size_t i = 0; i < n; i++) {
            *(first + i) = both[i].first;
            *(values + i) = both[i].second;
        }
    }
}
template <class P, class K, class V>
void sort_by_key(const P &p, K first, K last, V values) {
    detail::sort_by_key(p, first, last, values, std::less<value_of<K>>());
}
template <class P, class K, class V, class... Less>
void stable_sort_by_key(const P &p, K first, K last, V values, Less... less) {
    detail::sort_by_key(p, first, last, values, less...);
}

// Two sorted sequences to one.
template <class P, class I, class J, class O, class Less>
O merge(const P &p, I first, I last, J second, J second_last, O out, Less less) {
    auto a = raw(first);
    auto b = raw(second);
    auto to = raw(out);
    size_t m = last - first, n = second_last - second;
    constexpr bool there = works_on_device<P, I, J, O>();
    each<there>(p, m + n, [=](size_t i) {
        if (i < m) *(to + (i + rank_of(b, n, *(a + i), less, false))) = *(a + i);
        else *(to + (i - m + rank_of(a, m, *(b + (i - m)), less, true))) = *(b + (i - m));
    });
    if constexpr (there) finish(p);
    return out + (m + n);
}
template <class P, class I, class J, class O>
O merge(const P &p, I first, I last, J second, J second_last, O out) {
    return detail::merge(p, first, last, second, second_last, out, std::less<value_of<I>>());
}

// Searches in a sorted sequence, for each of many values; or, with one value, on its own.
template <class P, class I, class J, class O>
O bounds(const P &p, I first, I last, J values, J values_last, O out, bool upper) {
    auto in = raw(first);
    auto wanted = raw(values);
    auto to = raw(out);
    size_t n = last - first;
    constexpr bool there = works_on_device<P, I, J, O>();
    each<there>(p, values_last - values, [=](size_t i) {
        value_of<J> value = *(wanted + i);
        *(to + i) = rank_of(in, n, value, std::less<value_of<I>>(), upper);
    });
    if constexpr (there) finish(p);
    return out + (values_last - values);
}
template <class P, class I, class J, class O>
O lower_bound(const P &p, I first, I last, J values, J values_last, O out) {
    return detail::bounds(p, first, last, values, values_last, out, false);
}
template <class P, class I, class J, class O>
O upper_bound(const P &p, I first, I last, J values, J values_last, O out) {
    return detail::bounds(p, first, last, values, values_last, out, true);
}
template <class P, class I, class T>
I lower_bound(const P &, I first, I last, T value) {
    return first + rank_of(first, last - first, value, std::less<value_of<I>>(), false);
}
template <class P, class I, class T>
I upper_bound(const P &, I first, I last, T value) {
    return first + rank_of(first, last - first, value, std::less<value_of<I>>(), true);
}
template <class P, class I, class T>
bool binary_search(const P &p, I first, I last, T value) {
    I at = detail::lower_bound(p, first, last, value);
    return at != last && !(value < value_of<I>(*at));
}

} // namespace detail

__GPULEARN_THRUST(sort)
__GPULEARN_THRUST(stable_sort)
__GPULEARN_THRUST(sort_by_key)
__GPULEARN_THRUST(stable_sort_by_key)
__GPULEARN_THRUST(merge)
__GPULEARN_THRUST(lower_bound)
__GPULEARN_THRUST(upper_bound)
__GPULEARN_THRUST(binary_search)

} // namespace thrust
