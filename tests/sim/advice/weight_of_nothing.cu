// A weight of zero does not take out what is infinite.
//
// launch: grid 1 block 8
// in x: f32 8 = i % 2
// out y: f32 8
// expect y = nan 1 nan 1 nan 1 nan 1
// advice: N001
// note: Zero times infinity has no value: one factor grew past what the type can hold.
extern "C" __global__ void weigh(const float *x, float *y) {
    int i = threadIdx.x;
    float inverse = 1.0f / x[i];
    y[i] = x[i] * inverse; //~ N001
}
