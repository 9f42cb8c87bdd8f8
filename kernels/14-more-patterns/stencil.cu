// stencil: out = the sum of the six neighbours minus six times the element.
//
// in, out: boxes of shape (nz, ny, nx): x changes fastest, then y, then z.
// Blocks of BX×BY (32×8) threads, enough to cover one plane. A thread goes
// through all planes at its (x, y).
//
// This kernel is right, but fetches everything seven times.

#define BX 32
#define BY 8

// Returns the element at (x, y, z); 0 outside the box.
__device__ float at(const float *in, int x, int y, int z, int nx, int ny, int nz) {
    bool inside = 0 <= x && x < nx && 0 <= y && y < ny && 0 <= z && z < nz;
    return inside ? in[(z * ny + y) * nx + x] : 0;
}

extern "C" __global__ void stencil(const float *in, float *out, int nx, int ny, int nz) {
    int x = blockIdx.x * BX + threadIdx.x;
    int y = blockIdx.y * BY + threadIdx.y;

    for (int z = 0; z < nz; z++) {
        float here = at(in, x, y, z, nx, ny, nz);
        float sum = at(in, x, y, z - 1, nx, ny, nz) + at(in, x, y, z + 1, nx, ny, nz)
            + at(in, x, y - 1, z, nx, ny, nz) + at(in, x, y + 1, z, nx, ny, nz)
            + at(in, x - 1, y, z, nx, ny, nz) + at(in, x + 1, y, z, nx, ny, nz);
        if (x < nx && y < ny) {
            out[(z * ny + y) * nx + x] = sum - 6 * here;
        }
    }
}
