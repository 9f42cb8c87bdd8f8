// Double arithmetic in the four rounding directions, division, square root, fmod and remainder.
// launch: grid 1 block 64
// in a: f64 64 = i * 1.1 - 30
// in b: f64 64 = i * 0.7 + 0.3
// out y: f64 512
// expect y[i] = i % 8 == 0 ? a[i/8] / b[i/8] : i % 8 == 1 ? sqrt(b[i/8]) : i % 8 == 2 ? fma(a[i/8], b[i/8], 1) : i % 8 == 3 ? fmod(a[i/8], b[i/8]) : i % 8 == 4 ? a[i/8] * b[i/8] : i % 8 == 5 ? floor(a[i/8]) : i % 8 == 6 ? max(a[i/8], b[i/8]) : 1
extern "C" __global__ void arithmetic(const double *a, const double *b, double *y) {
    int i = threadIdx.x;
    double *out = y + 8 * i;
    out[0] = a[i] / b[i];
    out[1] = sqrt(b[i]);
    out[2] = fma(a[i], b[i], 1.0);
    out[3] = fmod(a[i], b[i]);
    out[4] = a[i] * b[i];
    out[5] = floor(a[i]);
    out[6] = fmax(a[i], b[i]);
    double down = __dadd_rd(a[i], 1e-17), up = __dadd_ru(a[i], 1e-17), near = a[i] + 1e-17;
    out[7] = down <= near && near <= up && down < up;
}
