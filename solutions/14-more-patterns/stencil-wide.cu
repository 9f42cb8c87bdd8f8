// stencil: the weighted sum of an element and of its REACH neighbours in each of six
// directions.
//
// in, out: boxes of shape (nz, ny, nx): x changes fastest, then y, then z.
// weights: REACH + 1 numbers, for the element and for neighbours 1 to REACH away.
// Blocks of BX×BY (32×16) threads, enough to cover one plane. A thread goes
// through all planes at its (x, y).

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

extern "C" __global__ void stencil(const float *in, const float *weights, float *out, int nx,
                                   int ny, int nz) {
    int x = blockIdx.x * BX + threadIdx.x;
    int y = blockIdx.y * BY + threadIdx.y;
    float w[REACH + 1];
    for (int d = 0; d <= REACH; d++) {
        w[d] = weights[d];
    }

    __shared__ float tile[BY + 2 * REACH][BX + 2 * REACH]; // a plane's, with its border
    int tx = threadIdx.x + REACH, ty = threadIdx.y + REACH; // the thread's place
    int t = threadIdx.y * BX + threadIdx.x;

    // Most threads also have one place of the border, always the same.
    bool has_border = t < 2 * REACH * (BX + BY);
    int row = 0, col = 0;
    if (has_border) {
        border_place(t, row, col);
    }
    int border_x = blockIdx.x * BX + col - REACH, border_y = blockIdx.y * BY + row - REACH;

    // What the thread has read of its own column: column[REACH] is here.
    float column[2 * REACH + 1];
    for (int i = 0; i <= 2 * REACH; i++) {
        column[i] = at(in, x, y, i - REACH, nx, ny, nz);
    }
    float border = has_border ? at(in, border_x, border_y, 0, nx, ny, nz) : 0;

    for (int z = 0; z < nz; z++) {
        // What this plane needs was requested a plane ago. What the next one needs is
        // requested now, and arrives while this one is computed.
        tile[ty][tx] = column[REACH];
        float above = at(in, x, y, z + REACH + 1, nx, ny, nz);
        if (has_border) {
            tile[row][col] = border;
            border = at(in, border_x, border_y, z + 1, nx, ny, nz);
        }
        __syncthreads(); // the tile is full

        float sum = w[0] * column[REACH];
        for (int d = 1; d <= REACH; d++) {
            sum += w[d] * (column[REACH - d] + column[REACH + d] + tile[ty - d][tx]
                + tile[ty + d][tx] + tile[ty][tx - d] + tile[ty][tx + d]);
        }
        if (x < nx && y < ny) {
            out[(z * ny + y) * nx + x] = sum;
        }
        __syncthreads(); // the tile is no longer needed

        for (int i = 0; i < 2 * REACH; i++) {
            column[i] = column[i + 1];
        }
        column[2 * REACH] = above;
    }
}
