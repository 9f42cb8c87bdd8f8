// One thread walks through all elements, and moves two places along the way.
extern "C" __global__ void add(const float *a, int a_row, int a_col, const float *b, int b_row,
                               int b_col, float *out, int rows, int cols) {
    if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y > 0) {
        return;
    }
    for (int row = 0; row < rows; row++) {
        const float *a_at = a + row * a_row;
        const float *b_at = b + row * b_row;
        for (int col = 0; col < cols; col++) {
            *out++ = *a_at + *b_at;
            a_at += a_col;
            b_at += b_col;
        }
    }
}
