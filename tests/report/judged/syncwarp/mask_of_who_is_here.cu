// running_sums: out[row][c] = in[row][0] + in[row][1] + … + in[row][c].
//
// in, out: (rows, cols), row-major.
// Blocks of 128 threads: four warps, each with a row of its own.

#define WARPS 4

extern "C" __global__ void running_sums(const float *in, float *out, int rows, int cols) {
    __shared__ float s[WARPS][32];
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * WARPS + warp;
    // The same for all lanes of a warp: it leaves as a whole.
    if (row >= rows) {
        return;
    }
    // The sum of all columns before this round's 32.
    float before = 0;
    for (int first = 0; first < cols; first += 32) {
        int c = first + lane;
        s[warp][lane] = c < cols ? in[row * cols + c] : 0;
        // What each lane has stored, the others may read now.
        __syncwarp(__activemask());
        for (int back = 1; back < 32; back *= 2) {
            float add = lane >= back ? s[warp][lane - back] : 0;
            // All have read before any of them writes …
            __syncwarp(__activemask());
            s[warp][lane] += add;
            // … and all have written before any of them reads again.
            __syncwarp(__activemask());
        }
        if (c < cols) {
            out[row * cols + c] = before + s[warp][lane];
        }
        before += s[warp][31];
        // All have read the last sum before lane 31 stores its next element there.
        __syncwarp(__activemask());
    }
}
