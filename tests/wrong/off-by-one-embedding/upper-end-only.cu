// Fixes the upper end and leaves the lower one open.
extern "C" __global__ void embed(const int *ids, const float *table, float *out,
                                 unsigned char *bad, int n, int rows, int dim) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * dim) {
        int token = i / dim;
        int col = i % dim;
        int id = ids[token];
        bool known = id < rows;
        out[i] = known ? table[id * dim + col] : 0; //~ out-of-bounds
        if (col == 0) {
            bad[token] = !known;
        }
    }
}
