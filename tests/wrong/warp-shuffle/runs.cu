// Each lane has a run of neighbours to itself, so the lanes of a warp are far apart.
#define ALL_LANES 0xffffffffu

extern "C" __global__ void below_the_top(const float *in, float *out, int rows, int cols) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= rows) {
        return;
    }
    int run = (cols + 31) / 32;
    int first = lane * run, end = min(first + run, cols);
    float largest = in[row * cols];
    for (int c = first; c < end; c++) {
        largest = fmaxf(largest, in[row * cols + c]); //~ too-much-work: load_sectors
    }
    for (int d = 16; d > 0; d /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(ALL_LANES, largest, d));
    }
    for (int c = first; c < end; c++) {
        out[row * cols + c] = in[row * cols + c] - largest;
    }
}
