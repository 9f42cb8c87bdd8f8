// next_generation: one step of the Game of Life.
//
// in, out: (rows, words), row-major. Bit k of a word is the cell in column
//          32 * word + k: 1 if it is alive. Outside the field all are dead.
// Blocks of 8×16 threads, enough for a thread for each word.
//
// This kernel is right, but takes the cells of a word one by one.

// Returns the word at (row, word); no cell is alive outside the field.
__device__ unsigned at(const unsigned *in, int row, int word, int rows, int words) {
    bool inside = 0 <= row && row < rows && 0 <= word && word < words;
    return inside ? in[row * words + word] : 0;
}

// Returns the cell in column k of a word, for k from -1 to 32: the columns before and
// after are in the neighbouring words.
__device__ int cell(unsigned before, unsigned word, unsigned behind, int k) {
    if (k < 0) return before >> 31;
    if (k > 31) return behind & 1;
    return (word >> k) & 1;
}

extern "C" __global__ void next_generation(const unsigned *in, unsigned *out, int rows,
                                           int words) {
    int word = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || word >= words) {
        return;
    }
    unsigned w[3][3]; // the words around, with the thread's own in the middle
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            w[r][c] = at(in, row + r - 1, word + c - 1, rows, words);
        }
    }

    unsigned next = 0;
    for (int k = 0; k < 32; k++) {
        int alive = cell(w[1][0], w[1][1], w[1][2], k);
        int neighbours = -alive;
        for (int r = 0; r < 3; r++) {
            for (int side = -1; side <= 1; side++) {
                neighbours += cell(w[r][0], w[r][1], w[r][2], k + side);
            }
        }
        if (neighbours == 3 || (neighbours == 2 && alive)) {
            next |= 1u << k;
        }
    }
    out[row * words + word] = next;
}
