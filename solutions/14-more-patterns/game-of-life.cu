// next_generation: one step of the Game of Life.
//
// in, out: (rows, words), row-major. Bit k of a word is the cell in column
//          32 * word + k: 1 if it is alive. Outside the field all are dead.
// Blocks of 8×16 threads, enough for a thread for each word.

// Returns the word at (row, word); no cell is alive outside the field.
__device__ unsigned at(const unsigned *in, int row, int word, int rows, int words) {
    bool inside = 0 <= row && row < rows && 0 <= word && word < words;
    return inside ? in[row * words + word] : 0;
}

// Adds three one-bit numbers, in all 32 columns at once.
__device__ void add(unsigned a, unsigned b, unsigned c, unsigned &ones, unsigned &twos) {
    ones = a ^ b ^ c;
    twos = (a & b) | (c & (a ^ b));
}

extern "C" __global__ void next_generation(const unsigned *in, unsigned *out, int rows,
                                           int words) {
    int word = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || word >= words) {
        return;
    }
    // Eight words: bit k of each is one of the neighbours of cell k.
    unsigned n[8], here = 0;
    for (int r = 0; r < 3; r++) {
        unsigned before = at(in, row + r - 1, word - 1, rows, words);
        unsigned middle = at(in, row + r - 1, word, rows, words);
        unsigned behind = at(in, row + r - 1, word + 1, rows, words);
        n[r] = (middle << 1) | (before >> 31);     // column k - 1 moves to bit k
        n[3 + r] = (middle >> 1) | (behind << 31); // column k + 1 moves to bit k
        if (r == 1) {
            here = middle;
        } else {
            n[6 + r / 2] = middle;
        }
    }

    // Eight ones make one ones word and four twos words. Two or three
    // neighbours: exactly one of these four.
    unsigned s0, s1, s2, t0, t1, t2, t3, u, f, ones;
    add(n[0], n[1], n[2], s0, t0);
    add(n[3], n[4], n[5], s1, t1);
    add(n[6], n[7], 0, s2, t2);
    add(s0, s1, s2, ones, t3);
    add(t0, t1, t2, u, f);
    unsigned two_or_three = (u ^ t3) & ~f;

    // Alive with three neighbours, or with two if alive before.
    out[row * words + word] = two_or_three & (ones | here);
}
