// Right, and counts by __popc, but still cell by cell.
// The word at (row, word); no cell is alive outside of the field.
__device__ unsigned at(const unsigned *in, int row, int word, int rows, int words) {
    bool inside = 0 <= row && row < rows && 0 <= word && word < words;
    return inside ? in[row * words + word] : 0;
}

extern "C" __global__ void next_generation(const unsigned *in, unsigned *out, int rows,
                                           int words) { //~ too-much-work: thread_instructions
    int word = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || word >= words) {
        return;
    }
    unsigned long long w[3]; // column k in bit k + 1
    for (int r = 0; r < 3; r++) {
        w[r] = at(in, row + r - 1, word - 1, rows, words) >> 31
            | (unsigned long long)at(in, row + r - 1, word, rows, words) << 1
            | (unsigned long long)at(in, row + r - 1, word + 1, rows, words) << 33;
    }
    unsigned next = 0;
    for (int k = 0; k < 32; k++) {
        int alive = w[1] >> (k + 1) & 1;
        int around = __popc(w[0] >> k & 7) + __popc(w[1] >> k & 5) + __popc(w[2] >> k & 7);
        if (around == 3 || (around == 2 && alive)) {
            next |= 1u << k;
        }
    }
    out[row * words + word] = next;
}
