// Rows of 33 elements: a column goes through all banks.
//
// launch: grid 1 block 32,8
// in a: f32 1024 = i
// out b: f32 1024
// expect b[i] = i % 32 * 32 + (i - i % 32) / 32
// advice:
extern "C" __global__ void tile_without_padding_fixed(const float *a, float *b) {
    __shared__ float tile[32][33];
    for (int y = threadIdx.y; y < 32; y += 8)
        tile[y][threadIdx.x] = a[y * 32 + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        b[y * 32 + threadIdx.x] = tile[threadIdx.x][y];
}
