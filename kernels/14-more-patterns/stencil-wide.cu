// stencil: the weighted sum of an element and of its REACH neighbours in each of six
// directions.
//
// in, out: boxes of shape (nz, ny, nx): x changes fastest, then y, then z.
// weights: REACH + 1 numbers, for the element and for neighbours 1 to REACH away.
// Blocks of BX×BY (32×16) threads, enough to cover one plane. A thread goes
// through all planes at its (x, y).
//
// This kernel is right, but fetches everything 25 times.

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

    for (int z = 0; z < nz; z++) {
        float sum = w[0] * at(in, x, y, z, nx, ny, nz);
        for (int d = 1; d <= REACH; d++) {
            sum += w[d] * (at(in, x, y, z - d, nx, ny, nz) + at(in, x, y, z + d, nx, ny, nz)
                + at(in, x, y - d, z, nx, ny, nz) + at(in, x, y + d, z, nx, ny, nz)
                + at(in, x - d, y, z, nx, ny, nz) + at(in, x + d, y, z, nx, ny, nz));
        }
        if (x < nx && y < ny) {
            out[(z * ny + y) * nx + x] = sum;
        }
    }
}
