// The tile with its border is filled in one loop over all of its places.
#define BX 32
#define BY 8

__device__ float at(const float *in, int x, int y, int z, int nx, int ny, int nz) {
    bool inside = 0 <= x && x < nx && 0 <= y && y < ny && 0 <= z && z < nz;
    return inside ? in[(z * ny + y) * nx + x] : 0;
}

extern "C" __global__ void stencil(const float *in, float *out, int nx, int ny, int nz) {
    __shared__ float s[BY + 2][BX + 2]; // a plane's tile, with its border
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * BX + tx;
    int y = blockIdx.y * BY + ty;

    float below = 0, here = at(in, x, y, 0, nx, ny, nz);
    for (int z = 0; z < nz; z++) {
        float above = at(in, x, y, z + 1, nx, ny, nz);

        s[ty + 1][tx + 1] = here;
        int t = ty * BX + tx;
        if (t < 2 * BX) {
            int row = t / BX * (BY + 1), j = t % BX;
            s[row][j + 1] = at(in, blockIdx.x * BX + j, blockIdx.y * BY + row - 1, z, nx, ny, nz);
        } else if (t < 2 * BX + 2 * BY) {
            int k = t - 2 * BX, col = k / BY * (BX + 1), i = k % BY;
            s[i + 1][col] = at(in, blockIdx.x * BX + col - 1, blockIdx.y * BY + i, z, nx, ny, nz);
        }
        __syncthreads(); // the tile is full

        if (x < nx && y < ny) {
            float beside = s[ty + 1][tx] + s[ty + 1][tx + 2] + s[ty][tx + 1] + s[ty + 2][tx + 1];
            out[(z * ny + y) * nx + x] = below + above + beside - 6 * here;
        }
        __syncthreads(); // the tile is used up

        below = here;
        here = above;
    }
}
