// Stores as if every row were 32 long.
#define WARPS 4

extern "C" __global__ void running_sums(const float *in, float *out, int rows, int cols) {
    __shared__ float s[WARPS][32];
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * WARPS + warp;
    if (row >= rows) {
        return;
    }
    float before = 0;
    for (int first = 0; first < cols; first += 32) {
        int c = first + lane;
        s[warp][lane] = c < cols ? in[row * cols + c] : 0;
        __syncwarp();
        for (int back = 1; back < 32; back *= 2) {
            float add = lane >= back ? s[warp][lane - back] : 0;
            __syncwarp();
            s[warp][lane] += add;
            __syncwarp();
        }
        if (c < cols) {
            out[row * 32 + c] = before + s[warp][lane]; //~ global-race
        }
        before += s[warp][31];
        __syncwarp();
    }
}
