// Double-precision library functions: long straight-line PTX.
// launch: grid 1 block 64
// in a: f64 64 = i * 0.27 - 8.1
// out y: f64 768
// expect y[i] = i % 12 == 0 ? sin(a[i/12]) : i % 12 == 1 ? cos(a[i/12]) : i % 12 == 2 ? tan(a[i/12]) : i % 12 == 3 ? exp(a[i/12]) : i % 12 == 4 ? log(abs(a[i/12])) : i % 12 == 5 ? tanh(a[i/12]) : i % 12 == 6 ? atan2(a[i/12], -2) : i % 12 == 7 ? cbrt(a[i/12]) : i % 12 == 8 ? pow(abs(a[i/12]), -1.5) : i % 12 == 9 ? log1p(abs(a[i/12])) : i % 12 == 10 ? expm1(a[i/12]) : asin(a[i/12] / 10) ~ 2e-15
extern "C" __global__ void library(const double *a, double *y) {
    int i = threadIdx.x;
    double *out = y + 12 * i, x = a[i];
    out[0] = sin(x);
    out[1] = cos(x);
    out[2] = tan(x);
    out[3] = exp(x);
    out[4] = log(fabs(x));
    out[5] = tanh(x);
    out[6] = atan2(x, -2.0);
    out[7] = cbrt(x);
    out[8] = pow(fabs(x), -1.5);
    out[9] = log1p(fabs(x));
    out[10] = expm1(x);
    out[11] = asin(x / 10);
}
