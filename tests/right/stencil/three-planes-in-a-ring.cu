// Three planes with their borders are in shared memory, and take turns.
#define BX 32
#define BY 8

// Returns the element at (x, y, z); 0 outside the box.
__device__ float at(const float *in, int x, int y, int z, int nx, int ny, int nz) {
    bool inside = 0 <= x && x < nx && 0 <= y && y < ny && 0 <= z && z < nz;
    return inside ? in[(z * ny + y) * nx + x] : 0;
}

extern "C" __global__ void stencil(const float *in, float *out, int nx, int ny, int nz) {
    __shared__ float ring[3][BY + 2][BX + 2];
    int t = threadIdx.y * BX + threadIdx.x, x0 = blockIdx.x * BX - 1, y0 = blockIdx.y * BY - 1;
    int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
    for (int z = -1; z <= nz; z++) {
        float (*plane)[BX + 2] = ring[(z + 3) % 3];
        for (int k = t; k < (BY + 2) * (BX + 2); k += BX * BY) {
            int r = k / (BX + 2), c = k % (BX + 2);
            plane[r][c] = at(in, x0 + c, y0 + r, z, nx, ny, nz);
        }
        __syncthreads();
        if (z >= 1 && x < nx && y < ny) {
            float (*p)[BX + 2] = ring[(z + 2) % 3];
            int r = threadIdx.y + 1, c = threadIdx.x + 1;
            out[((z - 1) * ny + y) * nx + x] = plane[r][c] + ring[(z + 1) % 3][r][c] + p[r - 1][c] + p[r + 1][c] + p[r][c - 1] + p[r][c + 1] - 6 * p[r][c];
        }
        __syncthreads();
    }
}
