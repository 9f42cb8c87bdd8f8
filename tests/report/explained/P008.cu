// launch: grid 2 block 64
// in which: i32 128 = i % 8
// in y: i32 128 = i % 8
// out b: f32 128
// finding: P008
extern "C" __global__ void chosen(const int *which, const int *y, float *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float best[8];
    float x = i, sum = 0;
#ifdef FIXED
#pragma unroll
    for (int k = 0; k < 8; k++) best[k] = k == which[i] ? x : 0;
#pragma unroll
    for (int k = 0; k < 8; k++) sum += k == y[i] ? best[k] : 0;
#else
    for (int k = 0; k < 8; k++) best[k] = 0;
    best[which[i]] = x;
    sum = best[y[i]];
#endif
    b[i] = sum;
}
