// The sum starts from zero.
// launch: grid 1 block 32
// arg n: i32 = 5
// in x: f32 32 = i * 1.0
// out y: f32 32
// expect y[i] = 10
extern "C" __global__ void sum(int n, const float *x, float *y) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    y[threadIdx.x] = sum;
}
