// Waits with the whole block, which some warps have left.
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
        __syncthreads(); //~ too-much-work: barriers
        for (int back = 1; back < 32; back *= 2) {
            float add = lane >= back ? s[warp][lane - back] : 0;
            __syncthreads();
            s[warp][lane] += add;
            __syncthreads();
        }
        if (c < cols) {
            out[row * cols + c] = before + s[warp][lane];
        }
        before += s[warp][31];
        __syncthreads();
    }
}
