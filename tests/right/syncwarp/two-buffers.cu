// Each step reads one shared row and writes the other: one wait a step.
#define WARPS 4

extern "C" __global__ void running_sums(const float *in, float *out, int rows, int cols) {
    __shared__ float s[2][WARPS][32];
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * WARPS + warp;
    if (row >= rows) {
        return;
    }
    float before = 0;
    for (int first = 0; first < cols; first += 32) {
        int c = first + lane;
        int now = 0;
        s[now][warp][lane] = c < cols ? in[row * cols + c] : 0;
        __syncwarp();
        for (int back = 1; back < 32; back *= 2) {
            float sum = s[now][warp][lane];
            s[1 - now][warp][lane] = lane < back ? sum : sum + s[now][warp][lane - back];
            now = 1 - now;
            __syncwarp();
        }
        if (c < cols) {
            out[row * cols + c] = before + s[now][warp][lane];
        }
        before += s[now][warp][31];
        __syncwarp();
    }
}
