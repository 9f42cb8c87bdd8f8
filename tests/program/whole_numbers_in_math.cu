// <cmath> takes whole numbers for double ones.
#include <cmath>
#include <cstdio>

int main() {
    int e;
    double m = std::frexp(10, &e);
    printf("%g %d %g %d %d %d\n", m, e, std::ldexp(3, 2), (int)std::isnan(0), (int)std::isfinite(7L), (int)std::signbit(-1));
}
