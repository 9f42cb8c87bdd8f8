// Right, and reads above and below once, but fetches its neighbours in the plane for itself.
#define BX 32
#define BY 8

// The element at (x, y, z); 0 outside of the box.
__device__ float at(const float *in, int x, int y, int z, int nx, int ny, int nz) {
    bool inside = 0 <= x && x < nx && 0 <= y && y < ny && 0 <= z && z < nz;
    return inside ? in[(z * ny + y) * nx + x] : 0;
}

extern "C" __global__ void stencil(const float *in, float *out, int nx, int ny, int nz) { //~ too-much-work: global_reads
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * BX + tx;
    int y = blockIdx.y * BY + ty;

    float below = 0, here = at(in, x, y, 0, nx, ny, nz);
    for (int z = 0; z < nz; z++) {
        float above = at(in, x, y, z + 1, nx, ny, nz);


        if (x < nx && y < ny) {
            float beside = at(in, x - 1, y, z, nx, ny, nz) + at(in, x + 1, y, z, nx, ny, nz)
                + at(in, x, y - 1, z, nx, ny, nz) + at(in, x, y + 1, z, nx, ny, nz);
            out[(z * ny + y) * nx + x] = below + above + beside - 6 * here;
        }

        below = here;
        here = above;
    }
}
