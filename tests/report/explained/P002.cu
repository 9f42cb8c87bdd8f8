// launch: grid 1 block 32,8
// in a: f32 1024 = i
// out b: f32 1024
// finding: P002
extern "C" __global__ void transpose(const float *a, float *b) {
#ifdef FIXED
    __shared__ float tile[32][33];
#else
    __shared__ float tile[32][32];
#endif
    for (int k = threadIdx.y; k < 32; k += 8)
        tile[k][threadIdx.x] = a[k * 32 + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8) {
        float x;
        x = tile[threadIdx.x][k];
        b[k * 32 + threadIdx.x] = x;
    }
}
