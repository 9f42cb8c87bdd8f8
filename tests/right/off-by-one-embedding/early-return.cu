// Surplus threads return; the row is found only where the word is known.
extern "C" __global__ void embed(const int *ids, const float *table, float *out,
                                 unsigned char *bad, int n, int rows, int dim) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * dim) {
        return;
    }
    {
        int token = i / dim;
        int col = i % dim;
        int id = ids[token];
        if (id < 0 || id >= rows) {
            out[i] = 0;
            if (col == 0) {
                bad[token] = 1;
            }
            return;
        }
        out[i] = table[id * dim + col];
        if (col == 0) {
            bad[token] = 0;
        }
    }
}
