// Sorting: quicksort by the median of three, heap sort where that goes too deep, insertion at the
// end. Elements that compare equal come out in the order that common libraries give them.
#pragma once
#include <gpulearn/ranges.h>

namespace std {

struct __less {
    template <class A, class B>
    constexpr bool operator()(const A &a, const B &b) const {
        return a < b;
    }
};

// Heaps: each element is not less than its two children.
template <class I, class T, class Less>
__noinline__ void __sift(I first, ptrdiff_t hole, ptrdiff_t n, T value, Less less) {
    const ptrdiff_t top = hole;
    ptrdiff_t child = hole;
    while (child < (n - 1) / 2) {
        child = 2 * child + 2;
        if (less(first[child], first[child - 1])) --child;
        first[hole] = std::move(first[child]);
        hole = child;
    }
    if (n % 2 == 0 && child == (n - 2) / 2) {
        child = 2 * child + 1;
        first[hole] = std::move(first[child]);
        hole = child;
    }
    for (ptrdiff_t parent = (hole - 1) / 2; hole > top && less(first[parent], value); parent = (hole - 1) / 2) {
        first[hole] = std::move(first[parent]);
        hole = parent;
    }
    first[hole] = std::move(value);
}
template <class I, class Less = __less>
void push_heap(I first, I last, Less less = Less()) {
    ptrdiff_t hole = last - first - 1;
    auto value = std::move(first[hole]);
    for (ptrdiff_t parent = (hole - 1) / 2; hole > 0 && less(first[parent], value); parent = (hole - 1) / 2) {
        first[hole] = std::move(first[parent]);
        hole = parent;
    }
    first[hole] = std::move(value);
}
// The top goes to `result`, whose value joins the heap.
template <class I, class Less>
void __pop_heap(I first, I last, I result, Less less) {
    __value_of<I> value = std::move(*result);
    *result = std::move(*first);
    std::__sift(first, ptrdiff_t(0), last - first, std::move(value), less);
}
template <class I, class Less = __less>
void pop_heap(I first, I last, Less less = Less()) {
    if (last - first > 1) std::__pop_heap(first, last - 1, last - 1, less);
}
template <class I, class Less = __less>
void make_heap(I first, I last, Less less = Less()) {
    ptrdiff_t n = last - first;
    for (ptrdiff_t parent = (n - 2) / 2; n > 1 && parent >= 0; --parent) {
        __value_of<I> value = std::move(first[parent]);
        std::__sift(first, parent, n, std::move(value), less);
    }
}
template <class I, class Less = __less>
void sort_heap(I first, I last, Less less = Less()) {
    for (; last - first > 1; --last) std::pop_heap(first, last, less);
}
template <class I, class Less>
void __heap_select(I first, I middle, I last, Less less) {
    std::make_heap(first, middle, less);
    for (I it = middle; it < last; ++it)
        if (less(*it, *first)) std::__pop_heap(first, middle, it, less);
}

// `it` goes down to its place, which is not before the first.
template <class I, class Less>
void __insert_down(I it, Less less) {
    __value_of<I> value = std::move(*it);
    for (I before = it - 1; less(value, *before); --before) {
        *it = std::move(*before);
        it = before;
    }
    *it = std::move(value);
}
template <class I, class Less>
__noinline__ void __insertion_sort(I first, I last, Less less) {
    if (first == last) return;
    for (I it = first + 1; it != last; ++it) {
        if (less(*it, *first)) {
            __value_of<I> value = std::move(*it);
            std::move_backward(first, it, it + 1);
            *first = std::move(value);
        } else {
            std::__insert_down(it, less);
        }
    }
}
// Splits by the median of the second, the middle and the last; all before the result are not greater.
template <class I, class Less>
__noinline__ I __partition_by_median(I first, I last, Less less) {
    I a = first + 1, b = first + (last - first) / 2, c = last - 1, median = c;
    if (less(*a, *b)) median = less(*b, *c) ? b : less(*a, *c) ? c : a;
    else median = less(*a, *c) ? a : less(*b, *c) ? c : b;
    std::iter_swap(first, median);
    I low = first + 1, high = last;
    while (true) {
        while (less(*low, *first)) ++low;
        --high;
        while (less(*first, *high)) --high;
        if (!(low < high)) return low;
        std::iter_swap(low, high);
        ++low;
    }
}
inline int __depth_limit(ptrdiff_t n) {
    int log = 0;
    for (; n > 1; n >>= 1) ++log;
    return 2 * log;
}
template <class I, class Less>
__noinline__ void __quicksort(I first, I last, int depth, Less less) {
    while (last - first > 16) {
        if (depth-- == 0) {
            std::__heap_select(first, last, last, less);
            std::sort_heap(first, last, less);
            return;
        }
        I cut = std::__partition_by_median(first, last, less);
        std::__quicksort(cut, last, depth, less);
        last = cut;
    }
}
template <class I, class Less = __less>
__noinline__ void sort(I first, I last, Less less = Less()) {
    if (first == last) return;
    std::__quicksort(first, last, std::__depth_limit(last - first), less);
    if (last - first > 16) {
        std::__insertion_sort(first, first + 16, less);
        for (I it = first + 16; it != last; ++it) std::__insert_down(it, less);
    } else {
        std::__insertion_sort(first, last, less);
    }
}
template <class I, class Less = __less>
void partial_sort(I first, I middle, I last, Less less = Less()) {
    std::__heap_select(first, middle, last, less);
    std::sort_heap(first, middle, less);
}
template <class I, class Less = __less>
void nth_element(I first, I nth, I last, Less less = Less()) {
    if (first == last || nth == last) return;
    int depth = std::__depth_limit(last - first);
    while (last - first > 3) {
        if (depth-- == 0) {
            std::__heap_select(first, nth + 1, last, less);
            std::iter_swap(first, nth);
            return;
        }
        I cut = std::__partition_by_median(first, last, less);
        if (cut <= nth) first = cut;
        else last = cut;
    }
    std::__insertion_sort(first, last, less);
}

template <class I, class J, class O, class Less = __less>
O merge(I first, I last, J other, J other_last, O to, Less less = Less()) {
    for (; first != last && other != other_last; ++to) {
        if (less(*other, *first)) *to = *other, ++other;
        else *to = *first, ++first;
    }
    return std::copy(other, other_last, std::copy(first, last, to));
}
// By merging runs through memory of half their length.
template <class I, class T, class Less>
__noinline__ void __merge_halves(I first, I middle, I last, T *kept, Less less) {
    T *end = kept;
    for (I it = first; it != middle; ++it, ++end) ::new ((void *)end) T(std::move(*it));
    T *low = kept;
    I high = middle, to = first;
    for (; low != end && high != last; ++to) {
        if (less(*high, *low)) *to = std::move(*high), ++high;
        else *to = std::move(*low), ++low;
    }
    for (; low != end; ++low, ++to) *to = std::move(*low);
    for (; kept != end; ++kept) kept->~T();
}
template <class I, class T, class Less>
__noinline__ void __merge_sort(I first, I last, T *room, Less less) {
    auto n = std::distance(first, last);
    if (n <= 12) return std::__insertion_sort(first, last, less);
    I middle = std::next(first, n / 2);
    std::__merge_sort(first, middle, room, less);
    std::__merge_sort(middle, last, room, less);
    std::__merge_halves(first, middle, last, room, less);
}
template <class I, class Less = __less>
void stable_sort(I first, I last, Less less = Less()) {
    using T = __value_of<I>;
    T *room = static_cast<T *>(::operator new((last - first + 1) / 2 * sizeof(T) + 1));
    std::__merge_sort(first, last, room, less);
    ::operator delete(room);
}
template <class I, class Less = __less>
void inplace_merge(I first, I middle, I last, Less less = Less()) {
    using T = __value_of<I>;
    T *room = static_cast<T *>(::operator new(std::distance(first, middle) * sizeof(T) + 1));
    std::__merge_halves(first, middle, last, room, less);
    ::operator delete(room);
}

}  // namespace std
