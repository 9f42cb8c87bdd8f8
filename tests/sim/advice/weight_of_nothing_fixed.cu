// What has no inverse is left out.
//
// launch: grid 1 block 8
// in x: f32 8 = i % 2
// out y: f32 8
// expect y = 0 1 0 1 0 1 0 1
// advice:
extern "C" __global__ void weigh(const float *x, float *y) {
    int i = threadIdx.x;
    y[i] = x[i] > 0.0f ? x[i] * (1.0f / x[i]) : 0.0f;
}
