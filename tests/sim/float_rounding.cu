// Rounding to integers in every direction, and conversions of floats to integers.
// launch: grid 1 block 32
// in a: f32 32 = (i - 16) * 0.5 + (i == 31 ? 5000000000 : 0)
// out y: f32 160
// out z: i32 128
// expect y[i] = i % 5 == 0 ? floor(a[i/5]) : i % 5 == 1 ? ceil(a[i/5]) : i % 5 == 2 ? trunc(a[i/5]) : i % 5 == 3 ? rint(a[i/5]) : round(a[i/5])
// expect z[i] = i % 4 == 0 ? min(max(int(trunc(a[i/4])), -2147483648), 2147483647) : i % 4 == 1 ? min(max(int(rint(a[i/4])), -2147483648), 2147483647) : i % 4 == 2 ? i32(min(max(int(trunc(a[i/4])), 0), 4294967295)) : min(max(int(ceil(a[i/4])), -2147483648), 2147483647)
extern "C" __global__ void rounding(const float *a, float *y, int *z) {
    int i = threadIdx.x;
    y[5 * i] = floorf(a[i]);
    y[5 * i + 1] = ceilf(a[i]);
    y[5 * i + 2] = truncf(a[i]);
    y[5 * i + 3] = rintf(a[i]);
    y[5 * i + 4] = roundf(a[i]);
    z[4 * i] = (int)a[i];
    z[4 * i + 1] = __float2int_rn(a[i]);
    z[4 * i + 2] = (int)__float2uint_rz(a[i]);
    z[4 * i + 3] = __float2int_ru(a[i]);
}
