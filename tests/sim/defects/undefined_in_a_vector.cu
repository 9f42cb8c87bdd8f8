// A sum without a start is stored as one of four numbers.
// launch: grid 1 block 32
// in x: f32 32 = 1
// arg n: i32 = 32
// out y: f32 128
// finding: I002
extern "C" __global__ void sums(const float *x, int n, float4 *y) {
    float sum;
    for (int i = 0; i < n; i++) {
        sum += x[i];
    }
    y[threadIdx.x] = make_float4(sum, 0, 0, 1); //~ I002
}
