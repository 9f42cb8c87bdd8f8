// The matrix lies the other way round: neighbouring lanes read neighbouring elements.
//
// launch: grid 1 block 64
// in a: f32 4096 = i
// out sums: f32 64
// expect sums[i] = 64 * 63 / 2 * 64 + 64 * i
// advice:
extern "C" __global__ void column_by_column_fixed(const float *a, float *sums) {
    int column = threadIdx.x;
    float sum = 0;
    for (int row = 0; row < 64; row++)
        sum += a[row * 64 + column];
    sums[column] = sum;
}
