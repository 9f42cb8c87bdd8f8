// From the last plane down to the first.
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

    float below = 0, here = at(in, x, y, nz - 1, nx, ny, nz);
    for (int z = nz - 1; z >= 0; z--) {
        float above = at(in, x, y, z - 1, nx, ny, nz);

        s[ty + 1][tx + 1] = here;
        if (tx == 0) s[ty + 1][0] = at(in, x - 1, y, z, nx, ny, nz);
        if (tx == BX - 1) s[ty + 1][BX + 1] = at(in, x + 1, y, z, nx, ny, nz);
        if (ty == 0) s[0][tx + 1] = at(in, x, y - 1, z, nx, ny, nz);
        if (ty == BY - 1) s[BY + 1][tx + 1] = at(in, x, y + 1, z, nx, ny, nz);
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
