// 32 zeros stand in front of each row: no lane has to ask whether it may read.
#define WARPS 4

extern "C" __global__ void running_sums(const float *in, float *out, int rows, int cols) {
    __shared__ float s[WARPS][64];
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * WARPS + warp;
    if (row >= rows) {
        return;
    }
    float before = 0;
    s[warp][lane] = 0;
    for (int first = 0; first < cols; first += 32) {
        int c = first + lane;
        float sum = c < cols ? in[row * cols + c] : 0;
        s[warp][32 + lane] = sum;
        __syncwarp();
        for (int back = 1; back < 32; back *= 2) {
            sum += s[warp][32 + lane - back];
            __syncwarp();
            s[warp][32 + lane] = sum;
            __syncwarp();
        }
        if (c < cols) {
            out[row * cols + c] = before + sum;
        }
        before += s[warp][63];
        __syncwarp();
    }
}
