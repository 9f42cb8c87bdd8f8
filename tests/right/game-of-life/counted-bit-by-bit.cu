// Three bits count the neighbours: each is added as to a number, for 32 cells at once.
__device__ unsigned at(const unsigned *in, int row, int word, int rows, int words) {
    bool inside = 0 <= row && row < rows && 0 <= word && word < words;
    return inside ? in[row * words + word] : 0;
}

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
    unsigned n[8], here = 0;
    for (int r = 0; r < 3; r++) {
        unsigned before = at(in, row + r - 1, word - 1, rows, words);
        unsigned middle = at(in, row + r - 1, word, rows, words);
        unsigned behind = at(in, row + r - 1, word + 1, rows, words);
        n[r] = (middle << 1) | (before >> 31);     // column k - 1 comes to bit k
        n[3 + r] = (middle >> 1) | (behind << 31); // column k + 1 comes to bit k
        if (r == 1) {
            here = middle;
        } else {
            n[6 + r / 2] = middle;
        }
    }

    unsigned one = 0, two = 0, four = 0;
    for (int k = 0; k < 8; k++) {
        unsigned carry = one & n[k];
        one ^= n[k];
        unsigned again = two & carry;
        two ^= carry;
        four |= again;
    }
    out[row * words + word] = two & ~four & (one | here);
}
