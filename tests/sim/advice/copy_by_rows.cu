// Each lane copies a row of a tile, so the lanes of a warp lie a row apart.
//
// launch: grid 16 block 32
// in a: f32 8192 = i
// out b: f32 8192
// expect b[i] = i
// advice: P001
extern "C" __global__ void copy_by_rows(const float *a, float *b) {
    for (int k = 0; k < 16; k++) {
        int i = (blockIdx.x * 32 + threadIdx.x) * 16 + k;
        b[i] = a[i]; //~ P001
    }
}
