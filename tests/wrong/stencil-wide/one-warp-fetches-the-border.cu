// Right, but the first warp alone fetches the border.
#define REACH 4
#define BX 32
#define BY 16

// Returns the element at (x, y, z); 0 outside the box.
__device__ float at(const float *in, int x, int y, int z, int nx, int ny, int nz) {
    bool inside = 0 <= x && x < nx && 0 <= y && y < ny && 0 <= z && z < nz;
    return inside ? in[(z * ny + y) * nx + x] : 0;
}

// The border of a tile has 2 * REACH * (BX + BY) places: REACH rows above it and below,
// REACH columns on the left and on the right. Finds the row and column of place t.
__device__ void border_place(int t, int &row, int &col) {
    if (t < 2 * REACH * BX) {
        row = t / BX < REACH ? t / BX : t / BX + BY;
        col = t % BX + REACH;
    } else {
        t -= 2 * REACH * BX;
        row = t / (2 * REACH) + REACH;
        col = t % (2 * REACH) < REACH ? t % (2 * REACH) : t % (2 * REACH) + BX;
    }
}

extern "C" __global__ void stencil(const float *in, const float *weights, float *out, int nx, //~ too-much-work: global_reads_per_thread
                                   int ny, int nz) {
    __shared__ float tile[BY + 2 * REACH][BX + 2 * REACH];
    int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    int tx = threadIdx.x + REACH, ty = threadIdx.y + REACH;
    float w[REACH + 1], column[2 * REACH + 1];
    for (int d = 0; d <= REACH; d++) {
        w[d] = weights[d];
    }
    for (int i = 0; i < 2 * REACH; i++) {
        column[i + 1] = at(in, x, y, i - REACH, nx, ny, nz);
    }
    for (int z = 0; z < nz; z++) {
        for (int i = 0; i < 2 * REACH; i++) {
            column[i] = column[i + 1];
        }
        column[2 * REACH] = at(in, x, y, z + REACH, nx, ny, nz);
        tile[ty][tx] = column[REACH];
        if (threadIdx.y == 0) {
            for (int t = threadIdx.x; t < 2 * REACH * (BX + BY); t += BX) {
                int row, col;
                border_place(t, row, col);
                tile[row][col] = at(in, blockIdx.x * BX + col - REACH, blockIdx.y * BY + row - REACH, z,
                                    nx, ny, nz);
            }
        }
        __syncthreads();
        float sum = w[0] * column[REACH];
        for (int d = 1; d <= REACH; d++) {
            sum += w[d] * (column[REACH - d] + column[REACH + d] + tile[ty - d][tx]
                + tile[ty + d][tx] + tile[ty][tx - d] + tile[ty][tx + d]);
        }
        if (x < nx && y < ny) {
            out[(z * ny + y) * nx + x] = sum;
        }
        __syncthreads();
    }
}
