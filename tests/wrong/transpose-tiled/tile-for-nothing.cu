// Right, but each thread takes its own element out of the tile again.
extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) { //~ too-much-work: store_sectors
    __shared__ float tile[32][33];
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    if (row < rows && col < cols) {
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    }
    __syncthreads();
    if (row < rows && col < cols) {
        out[col * rows + row] = tile[threadIdx.y][threadIdx.x];
    }
}
