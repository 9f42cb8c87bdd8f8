// gemm: multiply two matrices of floats: out = a × b.
//
// a: (rows, inner), b: (inner, cols), out: (rows, cols), row-major.
// inner and cols are multiples of 4, rows is any number.
// Blocks of THREADS threads; a block makes TILE × TILE elements of out.
//
// This kernel is right; make it fast.

#define THREADS 256
#define TILE 128 // rows and columns of out for a block

extern "C" __global__ void gemm(const float *a, const float *b, float *out,
                                int rows, int inner, int cols) {
    // A thread makes 64 elements of out, one after the other.
    for (int e = threadIdx.x; e < TILE * TILE; e += THREADS) {
        int row = blockIdx.y * TILE + e % TILE;
        int col = blockIdx.x * TILE + e / TILE;
        if (row < rows && col < cols) {
            float sum = 0;
            for (int k = 0; k < inner; k++) {
                sum += a[row * inner + k] * b[k * cols + col];
            }
            out[row * cols + col] = sum;
        }
    }
}
