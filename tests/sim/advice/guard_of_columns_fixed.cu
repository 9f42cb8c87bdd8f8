// The guards of the right and the lower edge: nothing is gained by another order of the lanes.
//
// launch: grid 5,5 block 16,16
// in a: f32 4761 = i
// out b: f32 4761
// expect b[i] = i + 100
extern "C" __global__ void guard_of_columns(const float *a, float *b) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    // 69 of 80 columns: in each of the last blocks, 5 of 16 lanes of a row work.
    if (col < 69 && row < 69) {
        float x = a[row * 69 + col];
        for (volatile int k = 0; k < 100; k = k + 1)
            x += 1;
        b[row * 69 + col] = x;
    }
}
