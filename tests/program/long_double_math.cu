// The functions of mathematics by their names for long double, and those of old that mean the same as newer ones.
#include <cmath>
#include <cstdio>
#include <cstdlib>

int main() {
    long double x = 2, whole;
    printf("%.4Lf %.4Lf %.4f %.4Lf\n", sqrtl(x), cbrtl(x), (double)sqrt(x), powl(x, 0.5L));
    printf("%.4Lf %.4Lf %.4Lf\n", expl(x), std::log(x), fabsl(-x) + std::abs(-x));
    printf("%g %g %g\n", (double)std::pow(x, 3), (double)fmax(x, 1.5), (double)hypotl(3, 4));
    printf("%ld %d %Lg\n", lroundl(2.5L), ilogbl(9.0L), std::ldexp(x, 3));
    long double part = std::modf(2.75L, &whole);
    printf("%Lg %Lg %d %d\n", part, whole, std::isnan(x), std::isfinite(x));
    printf("%Lf\n", strtold("1.5", nullptr));

    int first, second;
    double one = lgamma_r(-0.5, &first), two = lgamma_r(-1.5, &second);
    printf("%.4f %d %.4f %d\n", one, first, two, second);
    printf("%d %d %d %d\n", finite(1.0 / 3), finitef(HUGE_VALF), isinff(-HUGE_VALF), isnanf(NAN));
    printf("%g %g\n", drem(5, 3), (double)dremf(7, 4));
    printf("%d %d %d\n", __builtin_isnan(0.5f), __builtin_isinf(INFINITY) != 0, __builtin_isfinite(0.5));
}
