// The index of a row times its pitch has more than 32 bits. Here it wraps to an element that exists.
//
// launch: grid 2 block 4
// arg pitch: i32 = 65536
// in rows: i32 8 = (i - i % 4) * 16384
// out b: i32 8
// expect b = 0 1 2 3 -1 -1 -1 -1
// advice: N003
extern "C" __global__ void row_times_pitch(int pitch, const int *rows, int *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = -1;
    int at = rows[i] * pitch + i % 4; //~ N003
    if (blockIdx.x == 0)
        b[at] = i;
    else if (at < 8)
        b[at + 4] = -1;
}
