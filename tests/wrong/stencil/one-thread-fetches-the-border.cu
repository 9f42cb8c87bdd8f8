// Right, but one thread fetches the whole border.
#define BX 32
#define BY 8

// Returns the element at (x, y, z); 0 outside the box.
__device__ float at(const float *in, int x, int y, int z, int nx, int ny, int nz) {
    bool inside = 0 <= x && x < nx && 0 <= y && y < ny && 0 <= z && z < nz;
    return inside ? in[(z * ny + y) * nx + x] : 0;
}

extern "C" __global__ void stencil(const float *in, float *out, int nx, int ny, int nz) { //~ too-much-work: global_reads_per_thread
    __shared__ float s[BY + 2][BX + 2];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * BX - 1, y0 = blockIdx.y * BY - 1, x = x0 + 1 + tx, y = y0 + 1 + ty;
    float below = 0, here = at(in, x, y, 0, nx, ny, nz);
    for (int z = 0; z < nz; z++) {
        float above = at(in, x, y, z + 1, nx, ny, nz);
        s[ty + 1][tx + 1] = here;
        if (ty == 0 && tx == 0) {
            for (int c = 0; c < BX; c++) { s[0][c + 1] = at(in, x0 + 1 + c, y0, z, nx, ny, nz); s[BY + 1][c + 1] = at(in, x0 + 1 + c, y0 + BY + 1, z, nx, ny, nz); }
            for (int r = 0; r < BY; r++) { s[r + 1][0] = at(in, x0, y0 + 1 + r, z, nx, ny, nz); s[r + 1][BX + 1] = at(in, x0 + BX + 1, y0 + 1 + r, z, nx, ny, nz); }
        }
        __syncthreads();
        if (x < nx && y < ny) out[(z * ny + y) * nx + x] = below + above + s[ty + 1][tx] + s[ty + 1][tx + 2] + s[ty][tx + 1] + s[ty + 2][tx + 1] - 6 * here;
        __syncthreads();
        below = here; here = above;
    }
}
