// One thread does everybody's work.
extern "C" __global__ void map_2d(const float *in, float *out, int rows, int cols) { //~ too-much-work: global_reads_per_thread
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        for (int i = 0; i < rows * cols; i++) {
            int row = i / cols, col = i % cols;
            out[i] = in[i] + 10 * row + col;
        }
    }
}
