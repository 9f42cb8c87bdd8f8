// A tree of sums upwards in the warp, and from it downwards what lies before.
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
        for (int step = 1; step < 32; step *= 2) {
            int at = (lane + 1) * 2 * step - 1;
            if (at < 32) {
                s[warp][at] += s[warp][at - step];
            }
            __syncwarp();
        }
        for (int step = 8; step > 0; step /= 2) {
            int at = (lane + 1) * 2 * step - 1 + step;
            if (at < 32) {
                s[warp][at] += s[warp][at - step];
            }
            __syncwarp();
        }
        if (c < cols) {
            out[row * cols + c] = before + s[warp][lane];
        }
        before += s[warp][31];
        __syncwarp();
    }
}
