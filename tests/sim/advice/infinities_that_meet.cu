// The logarithm of a ratio as a difference: both exponentials are too large, and infinity less infinity is
// no number.
//
// launch: grid 1 block 8
// in x: f32 8 = 100 + i
// out y: f32 8
// expect y = nan nan nan nan nan nan nan nan
// advice: N001
// note: Infinity minus infinity has no value: both grew past what the type can hold before they met.
extern "C" __global__ void difference(const float *x, float *y) {
    int i = threadIdx.x;
    y[i] = expf(x[i] + 1.0f) - expf(x[i]); //~ N001
}
