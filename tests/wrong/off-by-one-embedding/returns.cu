// Leaves a token without a row alone: neither zeros nor a flag are written.
extern "C" __global__ void embed(const int *ids, const float *table, float *out,
                                 unsigned char *bad, int n, int rows, int dim) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * dim) {
        int token = i / dim;
        int col = i % dim;
        int id = ids[token];
        if (id < 0 || id >= rows) {
            return;
        }
        out[i] = table[id * dim + col]; //~ wrong-result
        if (col == 0) {
            bad[token] = 0;
        }
    }
}
