// A product by tiles, with a barrier before the next tile is loaded.
// launch: grid 1 block 8,8
// in a: i32 128 = i / 16 + 1
// in b: i32 128 = i % 8 + 1
// out y: i32 64
// expect y[i] = 16 * (i / 8 + 1) * (i % 8 + 1)
extern "C" __global__ void product(const int *a, const int *b, int *y) {
    __shared__ int s[8][8], t[8][8];
    int row = threadIdx.y, column = threadIdx.x, sum = 0;
    for (int k = 0; k < 16; k += 8) {
        s[row][column] = a[row * 16 + k + column];
        t[row][column] = b[(k + row) * 8 + column];
        __syncthreads();
        for (int j = 0; j < 8; j++) {
            sum += s[row][j] * t[j][column];
        }
        __syncthreads();
    }
    y[row * 8 + column] = sum;
}
