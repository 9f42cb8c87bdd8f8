// The same by the names of C++.
//~ calls: vprintf fprintf strlen strtol rand exit time
#include <cassert>
#include <cctype>
#include <cerrno>
#include <cfloat>
#include <cinttypes>
#include <climits>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

static_assert(sizeof(std::size_t) == 8 && sizeof(std::int64_t) == 8 && sizeof(long) == 8);
// As on Linux: a template of one type takes a size and a uint64_t.
template <class T> constexpr T larger(T a, T b) { return a > b ? a : b; }
static_assert(larger(sizeof(int), (uint64_t)5) == 5);

int main() {
    std::printf("%f %d\n", std::sqrt(2.0) + std::abs(-1.5) + std::fabs(-2.0f) + std::pow(2.0, 3), INT_MAX);
    std::fprintf(stderr, "%zu\n", std::strlen("abc"));
    std::time_t now = std::time(nullptr);
    if (std::strtol("12", nullptr, 10) != 12 || std::isalpha('1') || std::rand() < 0 || now < 0) std::exit(1);
    return FLT_MAX > 1 && DBL_EPSILON < 1 ? 0 : 1;
}
