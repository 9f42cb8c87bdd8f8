// Nine sums are under way: each element adds to the results of its column when it is read.
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
    __shared__ float tile[BY + 2 * REACH][BX + 2 * REACH];
    int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    int tx = threadIdx.x + REACH, ty = threadIdx.y + REACH, t = threadIdx.y * BX + threadIdx.x;
    int row = 0, col = 0;
    bool has = t < 2 * REACH * (BX + BY);
    if (has) border_place(t, row, col);
    float w[REACH + 1], pending[2 * REACH + 1] = {};
#pragma unroll
    for (int d = 0; d <= REACH; d++) w[d] = __ldg(weights + d);
    // pending[i]: what is known of the result of plane z - REACH + i
    for (int z = 0; z < nz + REACH; z++) {
        float own = at(in, x, y, z, nx, ny, nz);
        float flat = 0;
        if (z < nz) {
            tile[ty][tx] = own;
            if (has) tile[row][col] = at(in, blockIdx.x * BX + col - REACH, blockIdx.y * BY + row - REACH, z, nx, ny, nz);
            __syncthreads();
#pragma unroll
            for (int d = 1; d <= REACH; d++) flat += w[d] * (tile[ty - d][tx] + tile[ty + d][tx] + tile[ty][tx - d] + tile[ty][tx + d]);
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i <= 2 * REACH; i++) { int d = i < REACH ? REACH - i : i - REACH; pending[i] += w[d] * own; }
        pending[REACH] += flat;
        if (z >= REACH && x < nx && y < ny) out[((z - REACH) * ny + y) * nx + x] = pending[0];
#pragma unroll
        for (int i = 0; i < 2 * REACH; i++) pending[i] = pending[i + 1];
        pending[2 * REACH] = 0;
    }
}
