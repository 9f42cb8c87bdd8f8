// cuFFT against the sums that define it: sizes of all kinds, real and complex, in and out of place, many at once.
#include <cstdio>
#include <cmath>
#include <cufft.h>
#include <vector>

struct Number {
    double x, y;
};

// What is expected, by the definition: extents slowest first.
static std::vector<Number> sums(const std::vector<Number> &in, int a, int b, int c, int sign) {
    std::vector<Number> out(in.size());
    const double turn = sign * 2 * 3.14159265358979323846;
    for (int n = 0; n < a * b * c; n++) {
        int u = n / (b * c), v = n / c % b, w = n % c;
        Number sum = {0, 0};
        for (int m = 0; m < a * b * c; m++) {
            int i = m / (b * c), j = m / c % b, k = m % c;
            double angle = turn * ((double)(u * i % a) / a + (double)(v * j % b) / b + (double)(w * k % c) / c);
            double co = cos(angle), si = sin(angle);
            sum.x += in[m].x * co - in[m].y * si;
            sum.y += in[m].x * si + in[m].y * co;
        }
        out[n] = sum;
    }
    return out;
}

static int wrong = 0, checked = 0;

static void compare(const char *what, double got, double want, double scale, bool wide) {
    checked++;
    if (!(fabs(got - want) <= scale * (wide ? 1e-12 : 2e-5))) {
        if (wrong++ < 5) printf("%s: %g, not %g\n", what, got, want);
    }
}

static void check(cufftResult result) {
    if (result != CUFFT_SUCCESS) printf("cufftResult %d\n", result);
}

template <typename Real, typename Complex> static void all(int a, int b, int c) {
    const bool wide = sizeof(Real) == 8;
    const int count = a * b * c, half = c / 2 + 1, rows = a * b;
    std::vector<Number> in(count);
    std::vector<Complex> host(count);
    unsigned state = 7 + count;
    double scale = 0;
    for (int i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        in[i] = {(int)(state >> 24) / 64.0 - 2, (int)(state >> 16 & 255) / 64.0 - 2};
        host[i].x = in[i].x, host[i].y = in[i].y;
        scale += fabs(in[i].x) + fabs(in[i].y);
    }
    void *d_in, *d_out;
    cudaMalloc(&d_in, (count + 2 * rows) * sizeof(Complex));
    cudaMalloc(&d_out, (count + 2 * rows) * sizeof(Complex));
    auto plan = [&](cufftType type) {
        cufftHandle made;
        check(a > 1 ? cufftPlan3d(&made, a, b, c, type) : b > 1 ? cufftPlan2d(&made, b, c, type) : cufftPlan1d(&made, c, type, 1));
        return made;
    };
    // Complex, both ways, the second in place.
    cufftHandle complex = plan(wide ? CUFFT_Z2Z : CUFFT_C2C);
    for (int sign : {-1, 1}) {
        cudaMemcpy(d_in, host.data(), count * sizeof(Complex), cudaMemcpyHostToDevice);
        void *to = sign < 0 ? d_out : d_in;
        if (wide) check(cufftExecZ2Z(complex, (cufftDoubleComplex *)d_in, (cufftDoubleComplex *)to, sign));
        else check(cufftExecC2C(complex, (cufftComplex *)d_in, (cufftComplex *)to, sign));
        std::vector<Complex> got(count);
        cudaMemcpy(got.data(), to, count * sizeof(Complex), cudaMemcpyDeviceToHost);
        std::vector<Number> want = sums(in, a, b, c, sign);
        for (int i = 0; i < count; i++) {
            compare("complex", got[i].x, want[i].x, scale, wide);
            compare("complex", got[i].y, want[i].y, scale, wide);
        }
    }
    cufftDestroy(complex);
    // Real to half a spectrum, and back in place: rows of 2 * half.
    std::vector<Real> real(count), back(rows * 2 * half);
    for (int i = 0; i < count; i++) real[i] = in[i].x, in[i].y = 0;
    cudaMemcpy(d_in, real.data(), count * sizeof(Real), cudaMemcpyHostToDevice);
    cufftHandle forward = plan(wide ? CUFFT_D2Z : CUFFT_R2C), inverse = plan(wide ? CUFFT_Z2D : CUFFT_C2R);
    if (wide) check(cufftExecD2Z(forward, (double *)d_in, (cufftDoubleComplex *)d_out));
    else check(cufftExecR2C(forward, (float *)d_in, (cufftComplex *)d_out));
    std::vector<Complex> got(rows * half);
    cudaMemcpy(got.data(), d_out, got.size() * sizeof(Complex), cudaMemcpyDeviceToHost);
    std::vector<Number> want = sums(in, a, b, c, -1);
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < half; k++) {
            compare("half", got[r * half + k].x, want[r * c + k].x, scale, wide);
            compare("half", got[r * half + k].y, want[r * c + k].y, scale, wide);
        }
    }
    if (wide) check(cufftExecZ2D(inverse, (cufftDoubleComplex *)d_out, (double *)d_out));
    else check(cufftExecC2R(inverse, (cufftComplex *)d_out, (float *)d_out));
    cudaMemcpy(back.data(), d_out, back.size() * sizeof(Real), cudaMemcpyDeviceToHost);
    for (int i = 0; i < count; i++) compare("back", back[i / c * 2 * half + i % c], real[i] * (double)count, scale * 4, wide);
    cufftDestroy(forward);
    cufftDestroy(inverse);
    cudaFree(d_in);
    cudaFree(d_out);
}

int main() {
    for (int n : {1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 30, 37, 49, 64, 121}) {
        all<float, cufftComplex>(1, 1, n);
        all<double, cufftDoubleComplex>(1, 1, n);
    }
    const int shapes[][3] = {{1, 4, 6}, {1, 7, 5}, {1, 3, 1}, {2, 3, 4}, {3, 1, 5}, {5, 2, 3}};
    for (auto &shape : shapes) {
        all<float, cufftComplex>(shape[0], shape[1], shape[2]);
        all<double, cufftDoubleComplex>(shape[0], shape[1], shape[2]);
    }
    printf("%d numbers, %d wrong\n", checked, wrong);
}
