// Right, but only turned round: now it is the reads that are far apart.
#define TILE 32
#define ROWS 8

extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) { //~ too-much-work: load_sectors
    for (int i = 0; i < TILE; i += ROWS) {
        int row = blockIdx.y * TILE + threadIdx.x;
        int col = blockIdx.x * TILE + threadIdx.y + i;
        if (row < rows && col < cols) {
            out[col * rows + row] = in[row * cols + col];
        }
    }
}
