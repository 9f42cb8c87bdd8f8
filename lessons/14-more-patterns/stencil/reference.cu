// Plane after plane, a thread for each column: outside of the box all is 0.
extern "C" __global__ void stencil(const float *in, float *out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) {
        return;
    }
    long long plane = (long long)nx * ny;
    for (int z = 0; z < nz; z++) {
        long long i = z * plane + (long long)y * nx + x;
        double sum = -6.0 * in[i];
        if (x > 0) sum += in[i - 1];
        if (x < nx - 1) sum += in[i + 1];
        if (y > 0) sum += in[i - nx];
        if (y < ny - 1) sum += in[i + nx];
        if (z > 0) sum += in[i - plane];
        if (z < nz - 1) sum += in[i + plane];
        out[i] = (float)sum;
    }
}
