// Surplus threads return first; the rest go by a pointer to their row.
extern "C" __global__ void map_2d(const float *in, float *out, int rows, int cols) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x >= cols || y >= rows) {
        return;
    }
    const float *from = in + y * cols;
    float *to = out + y * cols;
    to[x] = from[x] + (10 * y + x);
}
