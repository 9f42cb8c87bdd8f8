// Plane after plane, a thread for each column: outside of the box all is 0.
__device__ double at(const float *in, int x, int y, int z, int nx, int ny, int nz) {
    bool inside = 0 <= x && x < nx && 0 <= y && y < ny && 0 <= z && z < nz;
    return inside ? in[((long long)z * ny + y) * nx + x] : 0;
}

extern "C" __global__ void stencil(const float *in, const float *weights, float *out, int nx,
                                   int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) {
        return;
    }
    for (int z = 0; z < nz; z++) {
        double sum = weights[0] * at(in, x, y, z, nx, ny, nz);
        for (int d = 1; d < 5; d++) {
            double beside = at(in, x - d, y, z, nx, ny, nz) + at(in, x + d, y, z, nx, ny, nz);
            double before = at(in, x, y - d, z, nx, ny, nz) + at(in, x, y + d, z, nx, ny, nz);
            double below = at(in, x, y, z - d, nx, ny, nz) + at(in, x, y, z + d, nx, ny, nz);
            sum += weights[d] * (beside + before + below);
        }
        out[((long long)z * ny + y) * nx + x] = (float)sum;
    }
}
