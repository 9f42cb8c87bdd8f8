// The sum starts at zero.
// launch: grid 1 block 32
// in x: f32 32 = 1
// arg n: i32 = 32
// out y: f32 128
// expect y[i] = i % 4 == 0 ? 32 : i % 4 == 3
extern "C" __global__ void sums(const float *x, int n, float4 *y) {
    float sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
    }
    y[threadIdx.x] = make_float4(sum, 0, 0, 1);
}
