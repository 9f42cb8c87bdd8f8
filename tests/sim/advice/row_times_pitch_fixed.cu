// In 64 bits it is what it should be, and is seen to lie outside.
//
// launch: grid 2 block 4
// arg pitch: i32 = 65536
// in rows: i32 8 = (i - i % 4) * 16384
// out b: i32 8
// expect b = 0 1 2 3 -1 -1 -1 -1
// advice:
extern "C" __global__ void row_times_pitch_fixed(int pitch, const int *rows, int *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = -1;
    long long at = (long long)rows[i] * pitch + i % 4;
    if (at < 8)
        b[at] = i;
}
