// A tile is stored by rows and read by columns, with a barrier between.
// launch: grid 2 block 16,16
// in a: f32 512 = i
// out y: f32 512
// expect y[i] = a[i / 256 * 256 + i % 16 * 16 + i % 256 / 16]
extern "C" __global__ void transpose(const float *a, float *y) {
    __shared__ float tile[16][17];
    int first = blockIdx.x * 256, row = threadIdx.y, column = threadIdx.x;
    tile[row][column] = a[first + row * 16 + column];
    __syncthreads();
    y[first + row * 16 + column] = tile[column][row];
}
