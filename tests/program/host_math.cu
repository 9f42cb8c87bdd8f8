// The host's mathematics is a host compiler's: whole results stay whole, products and sums are rounded one by one, and
// names may be used as for any function.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

const double pi = acos(-1.0);

struct Scale {
    double log;
    double exp(double x) const { return x * log; }
};

double twice(double (*f)(double), double x) { return f(f(x)); }

template <class T>
T norm(T a, T b) {
    return std::sqrt(std::pow(a, T(2)) + std::pow(b, T(2)));
}

__global__ void logarithm(double *out, float a, float c) {
    out[threadIdx.x] = threadIdx.x < 7 ? log2((double)(1 << threadIdx.x)) : a * a + c;
}

int main() {
    for (int i = 1; i < 31; i++) {
        int levels = log2(double(1 << i));
        if (levels != i || (int)log2f(float(1 << i)) != i || (int)pow(2, i) != 1 << i) printf("wrong at %d\n", i);
    }
    for (int i = 0, n = 1; i < 9; i++, n *= 10) {
        if ((int)pow(10, i) != n || (int)log10(n) != i) printf("wrong at ten to the %d\n", i);
    }
    printf("%.6f %.6f %.6f\n", acos(0.5), asin(0.5), atan(0.5));
    printf("%.6f %.6f %.6f\n", atan2(1.0, 2.0), cbrt(27.0), hypot(3.0, 4.0));
    printf("%.6f %.6f %.6f\n", cos(0.5), sin(0.5), tan(0.5));
    printf("%.6f %.6f %.6f\n", cosh(0.5), sinh(0.5), tanh(0.5));
    printf("%.6f %.6f %.6f %.6f\n", exp(0.5), exp2(0.5), expm1(0.5), pow(0.5, 0.25));
    printf("%.6f %.6f %.6f %.6f\n", log(5.0), log10(5.0), log1p(5.0), log2(5.0));
    printf("%.4f %.4f %.4f\n", acosf(0.5f), asinf(0.5f), atanf(0.5f));
    printf("%.4f %.4f %.4f\n", atan2f(1, 2), cbrtf(27), hypotf(3, 4));
    printf("%.4f %.4f %.4f\n", cosf(0.5f), sinf(0.5f), tanf(0.5f));
    printf("%.4f %.4f %.4f\n", coshf(0.5f), sinhf(0.5f), tanhf(0.5f));
    printf("%.4f %.4f %.4f %.4f\n", expf(0.5f), exp2f(0.5f), expm1f(0.5f), powf(0.5f, 0.25f));
    printf("%.4f %.4f %.4f %.4f\n", logf(5), log10f(5), log1pf(5), log2f(5));
    printf("%.4f %.4f %zu %zu\n", std::exp(1), std::log(2.5f), sizeof(std::exp(1)), sizeof(std::log(2.5f)));
    printf("%.4f %.4f %.4f\n", pi, norm(3.0f, 4.0f), norm(5.0, 12.0));

    Scale log{2.5};
    printf("%.2f %.2f %.4f\n", log.log, log.exp(2), twice(exp, 0.1));
    std::vector<float> values = {1, 2, 3};
    std::transform(values.begin(), values.end(), values.begin(), [](float x) { return std::exp(x); });
    printf("%.3f %.3f %.3f\n", values[0], values[1], values[2]);
    std::complex<double> z = std::exp(std::complex<double>(0, pi / 2));
    printf("%.3f %.3f\n", fabs(z.real()), z.imag());

    volatile float a = 1.0f + 0x1p-12f, c = -(1.0f + 0x1p-11f);
    printf("%g %g\n", a * a + c, fmaf(a, a, c));

    double *out;
    cudaMallocManaged(&out, 8 * sizeof(double));
    logarithm<<<1, 8>>>(out, a, c);
    cudaDeviceSynchronize();
    printf("%.4f %g\n", out[5], out[7]);
    cudaFree(out);
    return 0;
}
