// The difference is worked out at a scale that holds it.
//
// launch: grid 1 block 8
// in x: f32 8 = 100 + i
// out y: f32 8
// expect y[i] = x[i] + 0.5413248546 ~ 1e-4
// advice:
extern "C" __global__ void difference(const float *x, float *y) {
    int i = threadIdx.x;
    y[i] = x[i] + logf(expf(1.0f) - 1.0f);
}
