// The greatest is subtracted first: no power is above one.
//
// launch: grid 1 block 4
// in a: f32 4 = i * 100
// out b: f32 4
// expect b = 0 0 0 1 ~ 1e-6
// advice:
extern "C" __global__ void softmax_without_the_greatest_fixed(const float *a, float *b) {
    float greatest = a[0];
    for (int k = 1; k < 4; k++)
        greatest = fmaxf(greatest, a[k]);
    b[threadIdx.x] = expf(a[threadIdx.x] - greatest);
}
