// Each address is made by adding the strides to the pointers, in 64 bits.
extern "C" __global__ void add(const float *a, int a_row, int a_col, const float *b, int b_row,
                               int b_col, float *out, int rows, int cols) {
    unsigned col = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols) {
        return;
    }
    a += (long long)row * a_row;
    a += (long long)col * a_col;
    b += (long long)row * b_row;
    b += (long long)col * b_col;
    out[(size_t)row * cols + col] = *b + *a;
}
