// Right, but each thread takes its own element out of the tile again.
#define TILE 32
#define ROWS 8

extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) { //~ too-much-work: store_sectors
    __shared__ float tile[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y;

    for (int i = 0; i < TILE; i += ROWS) {
        int row = blockIdx.y * TILE + y + i;
        int col = blockIdx.x * TILE + x;
        if (row < rows && col < cols) {
            tile[y + i][x] = in[row * cols + col];
        }
    }
    __syncthreads();

    for (int i = 0; i < TILE; i += ROWS) {
        int row = blockIdx.y * TILE + y + i;
        int col = blockIdx.x * TILE + x;
        if (row < rows && col < cols) {
            out[col * rows + row] = tile[y + i][x];
        }
    }
}
