// exp(100) is more than a float holds.
//
// launch: grid 1 block 4
// in a: f32 4 = i * 100
// out b: f32 4
// expect b = 1 inf inf inf
// advice: N002
extern "C" __global__ void softmax_without_the_greatest(const float *a, float *b) {
    b[threadIdx.x] = expf(a[threadIdx.x]); //~ N002
}
