// Right, and in float4, but a lane has two of them in a row: 32 bytes apart,
// so each sector is sent twice.
extern "C" __global__ void axpy(float a, const float *x, float *y, int n) { //~ too-much-work: load_sectors
    int thread = blockIdx.x * 256 + threadIdx.x;
    for (int q = 2 * thread; q < 2 * thread + 2; q++) {
        if (4 * q + 3 < n) {
            float4 from = ((const float4 *)x)[q];
            float4 sum = ((float4 *)y)[q];
            sum.x += a * from.x;
            sum.y += a * from.y;
            sum.z += a * from.z;
            sum.w += a * from.w;
            ((float4 *)y)[q] = sum;
        } else {
            for (int i = 4 * q; i < n && i < 4 * q + 4; i++) {
                y[i] += a * x[i];
            }
        }
    }
}
