// Right, without tiles: neighbouring threads have neighbouring columns.
#define THREADS 256
#define TILE 128

extern "C" __global__ void gemm(const float *a, const float *b, float *out, //~ too-much-work: global_reads
                                int rows, int inner, int cols) {
    for (int e = threadIdx.x; e < TILE * TILE; e += THREADS) {
        int row = blockIdx.y * TILE + e / TILE;
        int col = blockIdx.x * TILE + e % TILE;
        if (row < rows && col < cols) {
            float sum = 0;
            for (int k = 0; k < inner; k++) {
                sum += a[row * inner + k] * b[k * cols + col];
            }
            out[row * cols + col] = sum;
        }
    }
}
