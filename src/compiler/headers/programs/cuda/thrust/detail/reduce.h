// Many elements to one value.
#pragma once
#include <thrust/detail/elementwise.h>
#include <thrust/detail/iterators.h>
#include <thrust/functional.h>

namespace thrust {
namespace detail {

// One value a block: its threads go through the sequence side by side, then meet in shared memory.
template <class T, class I, class F>
__global__ void reduce_blocks(I first, size_t n, T *out, F f) {
    __shared__ __align__(16) unsigned char room[block_threads * sizeof(T)];
    T *held = reinterpret_cast<T *>(room);
    size_t start = size_t(blockIdx.x) * blockDim.x, step = size_t(gridDim.x) * blockDim.x;
    unsigned t = threadIdx.x;
    unsigned active = n - start < blockDim.x ? unsigned(n - start) : blockDim.x;
    if (t < active) {
        T sum = *(first + (start + t));
        for (size_t i = start + t + step; i < n; i += step) sum = f(sum, T(*(first + i)));
        held[t] = sum;
    }
    __syncthreads();
    for (unsigned half = block_threads / 2; half > 0; half /= 2) {
        if (t < half && t + half < active) held[t] = f(held[t], held[t + half]);
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = held[0];
}

template <class P, class I, class T, class F>
T reduce(const P &p, I first, I last, T init, F f) {
    size_t n = last - first;
    if (n == 0) return init;
    if constexpr (works_on_device<P, I>()) {
        constexpr unsigned most = 256;
        unsigned blocks = blocks_for(n, block_threads * 4, most);
        scratch<T> sums(blocks + 1);
        auto in = raw(first);
        reduce_blocks<T><<<blocks, block_threads, 0, p.stream>>>(in, n, sums.data, f);
        if (blocks > 1) reduce_blocks<T><<<1, block_threads, 0, p.stream>>>(sums.data, blocks, sums.data + blocks, f);
        check(cudaGetLastError());
        return f(init, fetch(sums.data + (blocks > 1 ? blocks : 0), p.stream));
    } else {
        for (; first != last; ++first) init = f(init, T(*first));
        return init;
    }
}
template <class P, class I, class T>
T reduce(const P &p, I first, I last, T init) { return detail::reduce(p, first, last, init, std::plus<T>()); }
template <class P, class I>
value_of<I> reduce(const P &p, I first, I last) { return detail::reduce(p, first, last, value_of<I>()); }

template <class P, class I, class G, class T, class F>
T transform_reduce(const P &p, I first, I last, G g, T init, F f) {
    return detail::reduce(p, make_transform_iterator(first, g), make_transform_iterator(last, g), init, f);
}

template <class F, class G>
struct of_pair {
    mutable G g;
    template <class T>
    constexpr auto operator()(const T &t) const { return g(std::get<0>(t), std::get<1>(t)); }
};
template <class P, class I, class J, class T, class F, class G>
T inner_product(const P &p, I first, I last, J other, T init, F f, G g) {
    auto both = make_zip_iterator(first, other);
    return detail::transform_reduce(p, both, both + (last - first), of_pair<F, G>{g}, init, f);
}
template <class P, class I, class J, class T>
T inner_product(const P &p, I first, I last, J other, T init) {
    return detail::inner_product(p, first, last, other, init, std::plus<T>(), std::multiplies<T>());
}

template <class Test>
struct one_if {
    mutable Test test;
    template <class T>
    constexpr ptrdiff_t operator()(const T &t) const { return test(t) ? 1 : 0; }
};
template <class P, class I, class Test>
ptrdiff_t count_if(const P &p, I first, I last, Test test) {
    return detail::transform_reduce(p, first, last, one_if<Test>{test}, ptrdiff_t(0), std::plus<ptrdiff_t>());
}
template <class T>
struct equals {
    T value;
    template <class U>
    constexpr bool operator()(const U &u) const { return u == value; }
};
template <class P, class I, class T>
ptrdiff_t count(const P &p, I first, I last, T value) { return detail::count_if(p, first, last, equals<T>{value}); }
template <class P, class I, class Test>
bool all_of(const P &p, I first, I last, Test test) { return detail::count_if(p, first, last, test) == last - first; }
template <class P, class I, class Test>
bool any_of(const P &p, I first, I last, Test test) { return detail::count_if(p, first, last, test) > 0; }
template <class P, class I, class Test>
bool none_of(const P &p, I first, I last, Test test) { return detail::count_if(p, first, last, test) == 0; }

// The place of the first element that comes before all others.
template <class I, class Less>
struct better {
    I at;
    mutable Less less;
    constexpr ptrdiff_t operator()(ptrdiff_t a, ptrdiff_t b) const {
        if (less(*(at + a), *(at + b))) return a;
        if (less(*(at + b), *(at + a))) return b;
        return a < b ? a : b;
    }
};
template <class Less>
struct turned {
    mutable Less less;
    template <class A, class B>
    constexpr bool operator()(const A &a, const B &b) const { return less(b, a); }
};
template <class P, class I, class Less>
I min_element(const P &p, I first, I last, Less less) {
    if (first == last) return last;
    if constexpr (works_on_device<P, I>()) {
        using R = raw_of<I>;
        counting_iterator<ptrdiff_t> from(1), to(last - first);
        // The host can't follow the elements: the first place goes into the sum on the device.
        counting_iterator<ptrdiff_t> zero(0);
        scratch<ptrdiff_t> found(257);
        size_t n = last - first;
        unsigned blocks = blocks_for(n, block_threads * 4, 256);
        better<R, Less> f{raw(first), less};
        reduce_blocks<ptrdiff_t><<<blocks, block_threads, 0, p.stream>>>(zero, n, found.data, f);
        if (blocks > 1)
            reduce_blocks<ptrdiff_t><<<1, block_threads, 0, p.stream>>>(found.data, blocks, found.data + blocks, f);
        check(cudaGetLastError());
        return first + fetch(found.data + (blocks > 1 ? blocks : 0), p.stream);
    } else {
        I best = first;
        for (I it = first; it != last; ++it)
            if (less(*it, *best)) best = it;
        return best;
    }
}
template <class P, class I>
I min_element(const P &p, I first, I last) { return detail::min_element(p, first, last, std::less<value_of<I>>()); }
template <class P, class I, class Less>
I max_element(const P &p, I first, I last, Less less) {
    return detail::min_element(p, first, last, turned<Less>{less});
}
template <class P, class I>
I max_element(const P &p, I first, I last) { return detail::max_element(p, first, last, std::less<value_of<I>>()); }
template <class P, class I, class... Less>
std::pair<I, I> minmax_element(const P &p, I first, I last, Less... less) {
    return {detail::min_element(p, first, last, less...), detail::max_element(p, first, last, less...)};
}

// Places where a test holds, and far away where it does not.
template <class I, class Test>
struct place_if {
    I at;
    mutable Test test;
    ptrdiff_t none;
    constexpr ptrdiff_t operator()(ptrdiff_t i) const { return test(*(at + i)) ? i : none; }
};
template <class P, class I, class Test>
I find_if(const P &p, I first, I last, Test test) {
    ptrdiff_t n = last - first;
    counting_iterator<ptrdiff_t> from(0), to(n);
    place_if<raw_of<I>, Test> f{raw(first), test, n};
    if constexpr (works_on_device<P, I>()) {
        on_device there(p.stream);
        return first + detail::transform_reduce(there, from, to, f, n, minimum<ptrdiff_t>());
    } else {
        return first + detail::transform_reduce(on_host(), from, to, f, n, minimum<ptrdiff_t>());
    }
}
template <class P, class I, class T>
I find(const P &p, I first, I last, T value) { return detail::find_if(p, first, last, equals<T>{value}); }

template <class F>
struct as_one {
    mutable F f;
    template <class T>
    constexpr bool operator()(const T &t) const { return f(std::get<0>(t), std::get<1>(t)); }
};
template <class P, class I, class J, class F>
bool equal(const P &p, I first, I last, J other, F f) {
    auto both = make_zip_iterator(first, other);
    return detail::all_of(p, both, both + (last - first), as_one<F>{f});
}
template <class P, class I, class J>
bool equal(const P &p, I first, I last, J other) {
    return detail::equal(p, first, last, other, std::equal_to<value_of<I>>());
}
template <class P, class I, class Less>
bool is_sorted(const P &p, I first, I last, Less less) {
    if (last - first < 2) return true;
    auto both = make_zip_iterator(first + 1, first);
    return detail::none_of(p, both, both + (last - first - 1), as_one<Less>{less});
}
template <class P, class I>
bool is_sorted(const P &p, I first, I last) { return detail::is_sorted(p, first, last, std::less<value_of<I>>()); }

} // namespace detail

__GPULEARN_THRUST(reduce)
__GPULEARN_THRUST(transform_reduce)
__GPULEARN_THRUST(inner_product)
__GPULEARN_THRUST(count)
__GPULEARN_THRUST(count_if)
__GPULEARN_THRUST(all_of)
__GPULEARN_THRUST(any_of)
__GPULEARN_THRUST(none_of)
__GPULEARN_THRUST(min_element)
__GPULEARN_THRUST(max_element)
__GPULEARN_THRUST(minmax_element)
__GPULEARN_THRUST(find)
__GPULEARN_THRUST(find_if)
__GPULEARN_THRUST(equal)
__GPULEARN_THRUST(is_sorted)

// The smaller and the larger of two values; of equal ones, the first.
template <class T>
constexpr T min(const T &a, const T &b) { return b < a ? b : a; }
template <class T, class Less>
constexpr T min(const T &a, const T &b, Less less) { return less(b, a) ? b : a; }
template <class T>
constexpr T max(const T &a, const T &b) { return a < b ? b : a; }
template <class T, class Less>
constexpr T max(const T &a, const T &b, Less less) { return less(a, b) ? b : a; }

} // namespace thrust
