// Each thread walks along a row, so that the lanes of a warp are a row apart: of every sector four
// bytes are used.
//
// launch: grid 1 block 64
// in a: f32 4096 = i
// out sums: f32 64
// expect sums[i] = i * 64 * 64 + 2016
// advice: P001
extern "C" __global__ void column_by_column(const float *a, float *sums) {
    int row = threadIdx.x;
    float sum = 0;
    for (int column = 0; column < 64; column++)
        sum += a[row * 64 + column]; //~ P001
    sums[row] = sum;
}
