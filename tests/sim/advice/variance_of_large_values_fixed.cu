// The squares of what differs from the mean.
//
// launch: grid 1 block 8
// strict floats: yes
// in a: f32 8 = 3000 + i % 2
// out b: f32 8
// expect b[i] = 0.25 ~ 1e-6
// advice:
extern "C" __global__ void variance_of_large_values_fixed(const float *a, float *b) {
    float sum = 0, squares = 0;
    for (int k = 0; k < 8; k++)
        sum += a[k];
    float mean = sum / 8;
    for (int k = 0; k < 8; k++)
        squares += (a[k] - mean) * (a[k] - mean);
    b[threadIdx.x] = squares / 8;
}
