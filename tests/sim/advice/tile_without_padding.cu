// A column of a tile whose rows have 32 elements lies in one bank.
//
// launch: grid 1 block 32,8
// in a: f32 1024 = i
// out b: f32 1024
// expect b[i] = i % 32 * 32 + (i - i % 32) / 32
// advice: P002
extern "C" __global__ void tile_without_padding(const float *a, float *b) {
    __shared__ float tile[32][32];
    for (int y = threadIdx.y; y < 32; y += 8)
        tile[y][threadIdx.x] = a[y * 32 + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        b[y * 32 + threadIdx.x] = tile[threadIdx.x][y]; //~ P002
}
