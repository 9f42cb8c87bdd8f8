// launch: grid 2 block 4
// arg pitch: i32 = 65536
// in rows: i32 8 = (i - i % 4) * 16384
// out b: i32 8
// finding: N003
extern "C" __global__ void far(int pitch, const int *rows, int *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = rows[i], column = i % 4;
    b[i] = -1;
#ifdef FIXED
    size_t at = (size_t)row * pitch + column;
#else
    int at = row * pitch + column;
#endif
    if (blockIdx.x == 0)
        b[at] = i;
    else if (at < 8)
        b[at + 4] = -1;
}
