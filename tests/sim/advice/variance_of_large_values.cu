// The mean of the squares less the square of the mean: nearly all digits go.
//
// launch: grid 1 block 8
// strict floats: yes
// in a: f32 8 = 200 + i % 2
// out b: f32 8
// expect b[i] = 0.25 ~ 0.01
// advice: N006
extern "C" __global__ void variance_of_large_values(const float *a, float *b) {
    float sum = 0, squares = 0;
    for (int k = 0; k < 8; k++) {
        sum += a[k];
        squares += a[k] * a[k];
    }
    float mean = sum / 8;
    b[threadIdx.x] = squares / 8 - mean * mean; //~ N006
}
