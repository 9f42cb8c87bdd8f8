// Three rows are added by column first, then three columns; the cell itself is among the nine.
__device__ unsigned at(const unsigned *in, int row, int word, int rows, int words) {
    bool inside = 0 <= row && row < rows && 0 <= word && word < words;
    return inside ? in[row * words + word] : 0;
}

// Adds three one-bit numbers, in all 32 columns at once.
__device__ void add(unsigned a, unsigned b, unsigned c, unsigned &ones, unsigned &twos) {
    ones = a ^ b ^ c;
    twos = (a & b) | (c & (a ^ b));
}

struct Two { unsigned one, two; };
__device__ Two column(unsigned a, unsigned b, unsigned c) { Two r; add(a, b, c, r.one, r.two); return r; }
extern "C" __global__ void next_generation(const unsigned *in, unsigned *out, int rows,
                                           int words) {
    int word = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || word >= words) return;
    Two s[3];
    unsigned here = at(in, row, word, rows, words);
    for (int d = -1; d <= 1; d++)
        s[d + 1] = column(at(in, row - 1, word + d, rows, words), d ? at(in, row, word + d, rows, words) : here, at(in, row + 1, word + d, rows, words));
    // total of nine = left + mid + right, where left = column k - 1
    unsigned l1 = s[1].one << 1 | s[0].one >> 31, l2 = s[1].two << 1 | s[0].two >> 31;
    unsigned r1 = s[1].one >> 1 | s[2].one << 31, r2 = s[1].two >> 1 | s[2].two << 31;
    unsigned ones, c, twos, f;
    add(l1, s[1].one, r1, ones, c);
    add(l2, s[1].two, r2, twos, f);
    // total = ones + 2 (c + twos) + 4 f: 3 -> alive; 4 -> as before
    unsigned t = twos ^ c, carry = twos & c;
    unsigned fours = f ^ carry, eights = f & carry;
    unsigned three = ones & t & ~fours & ~eights, four = ~ones & ~t & fours & ~eights;
    out[row * words + word] = three | (four & here);
}
