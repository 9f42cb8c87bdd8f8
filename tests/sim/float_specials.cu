// NaN, infinities, signed zeros and subnormal values through arithmetic and comparison.
// launch: grid 1 block 1
// arg nan: f32 = nan
// arg inf: f32 = inf
// arg tiny: f32 = 7.346839692639297e-40
// out y: f32 8
// out z: i32 10
// expect y = 1 2 inf nan nan 0 1.4693679385278594e-39 -inf
// expect z = 0 1 1 0 1 0 1 1 -2147483648 1
extern "C" __global__ void specials(float nan, float inf, float tiny, float *y, int *z) {
    y[0] = fminf(nan, 1.0f);
    y[1] = fmaxf(2.0f, nan);
    y[2] = inf + 1.0f;
    y[3] = inf - inf;
    y[4] = inf * 0.0f;
    y[5] = 1.0f / inf;
    y[6] = tiny + tiny;
    y[7] = -1.0f / (inf - inf == inf ? 1.0f : 0.0f);
    z[0] = nan == nan;
    z[1] = nan != nan;
    z[2] = !(nan < 1.0f);
    z[3] = isinf(nan);
    z[4] = isnan(nan) && isinf(inf) && isfinite(tiny);
    z[5] = (int)nan;
    z[6] = signbit(-0.0f * tiny) != 0;
    z[7] = -0.0f == 0.0f;
    z[8] = __float_as_int(copysignf(0.0f, -inf));
    z[9] = tiny > 0.0f;
}
