// Cell by cell, from the field as it is.
__device__ int alive(const unsigned *in, int row, int col, int rows, int words) {
    bool inside = 0 <= row && row < rows && 0 <= col && col < 32 * words;
    return inside ? (in[row * words + col / 32] >> (col % 32)) & 1 : 0;
}

extern "C" __global__ void next_generation(const unsigned *in, unsigned *out, int rows,
                                           int words) {
    int word = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || word >= words) {
        return;
    }
    unsigned next = 0;
    for (int k = 0; k < 32; k++) {
        int col = 32 * word + k, neighbours = 0;
        for (int r = row - 1; r <= row + 1; r++) {
            neighbours += alive(in, r, col - 1, rows, words) + alive(in, r, col + 1, rows, words);
        }
        neighbours += alive(in, row - 1, col, rows, words) + alive(in, row + 1, col, rows, words);
        bool lives = neighbours == 3 || (neighbours == 2 && alive(in, row, col, rows, words));
        next |= lives ? 1u << k : 0;
    }
    out[row * words + word] = next;
}
