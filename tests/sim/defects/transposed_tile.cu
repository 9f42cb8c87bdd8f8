// A tile is stored by rows and read by columns, with no barrier between.
// launch: grid 2 block 16,16
// in a: f32 512 = i
// out y: f32 512
// finding: R001
extern "C" __global__ void transpose(const float *a, float *y) {
    __shared__ float tile[16][17];
    int first = blockIdx.x * 256, row = threadIdx.y, column = threadIdx.x;
    tile[row][column] = a[first + row * 16 + column]; //~ R001
    y[first + row * 16 + column] = tile[column][row]; //~ R001
}
