// What nvcc brings before the first line, and what its own headers bring.
#include <cublas_v2.h>
#include <cuda/std/cstdint>
#include <iomanip>
#include <iostream>

template <class T>
T passed(T &&x) {
    return std::forward<T>(x);
}
struct Three : std::integral_constant<int, 3> {};

int main() {
    std::size_t n = std::max(1, 2) + std::min(3, 4);
    std::pair<int, float> p(1, std::sqrt(2.25f));
    std::swap(p.first, p.first);
    std::ptrdiff_t d = std::abs(-5);
    std::cout << n << ' ' << p.first + p.second << ' ' << d << ' ' << passed(7) << ' ' << Three::value << ' '
              << std::is_same<int, int32_t>::value << ' ' << (std::numeric_limits<int>::max() == INT_MAX) << '\n';
    __nv_bfloat16 half = __float2bfloat16(1.5f);
    cuComplex c = cuCmulf(make_cuComplex(0, 1), make_cuComplex(0, 1));
    cuda::std::uint64_t wide = 1ull << 40;
    uint64_t *same = &wide;
    std::stringstream text;
    text << std::setw(4) << __bfloat162float(half) << ' ' << cuCrealf(c) << ' ' << *same;
    std::cout << text.str() << '\n';
    char bytes[4] = {1, 2, 3, 4};
    bzero(bytes, 3);
    std::cout << bytes[0] + bytes[3] << '\n';
    int x = 5, expected = 8;
    int a = __sync_fetch_and_add(&x, 3), b = __sync_bool_compare_and_swap(&x, 8, 10), s = __sync_sub_and_fetch(&x, 1);
    std::cout << a << b << s << ' ' << __atomic_load_n(&x, __ATOMIC_ACQUIRE)
              << __atomic_compare_exchange_n(&x, &expected, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED) << expected
              << __atomic_exchange_n(&x, 4, __ATOMIC_SEQ_CST) << __atomic_add_fetch(&x, 1, __ATOMIC_RELAXED) << '\n';
    __sync_synchronize();
}
