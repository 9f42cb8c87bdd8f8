// Straight from place to place, with atomics that no sector is counted for.
#define TILE 32
#define ROWS 8

extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) { //~ too-much-work: global_atomics
    int x = threadIdx.x, y = threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) {
        int row = blockIdx.y * TILE + y + i;
        int col = blockIdx.x * TILE + x;
        if (row < rows && col < cols) {
            atomicExch(&out[col * rows + row], in[row * cols + col]);
        }
    }
}
