// stencil: out = the sum of the six neighbours minus six times the element.
//
// in, out: boxes of shape (nz, ny, nx): x changes fastest, then y, then z.
// Blocks of BX×BY (32×8) threads, enough to cover one plane. A thread goes
// through all planes at its (x, y).

#define BX 32
#define BY 8

// Returns the element at (x, y, z); 0 outside the box.
__device__ float at(const float *in, int x, int y, int z, int nx, int ny, int nz) {
    bool inside = 0 <= x && x < nx && 0 <= y && y < ny && 0 <= z && z < nz;
    return inside ? in[(z * ny + y) * nx + x] : 0;
}

extern "C" __global__ void stencil(const float *in, float *out, int nx, int ny, int nz) {
    __shared__ float s[BY + 2][BX + 2]; // a plane's tile, with its border
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * BX + tx;
    int y = blockIdx.y * BY + ty;

    // What the thread has already read stays in registers: from plane to plane the
    // three move on by one, and only the highest is new.
    float below = 0, here = at(in, x, y, 0, nx, ny, nz);
    for (int z = 0; z < nz; z++) {
        float above = at(in, x, y, z + 1, nx, ny, nz);

        // What the neighbours in the plane have read comes from the tile. Its border
        // belongs to other blocks: the threads next to it fetch it.
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
        __syncthreads(); // the tile is no longer needed

        below = here;
        here = above;
    }
}
