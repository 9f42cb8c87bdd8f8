// One thread, one token after the other.

extern "C" __global__ void embed(const int *ids, const float *table, float *out,
                                 unsigned char *bad, int n, int rows, int dim) {
    if (blockIdx.x > 0 || threadIdx.x > 0) {
        return;
    }
    for (int token = 0; token < n; token++) {
        int id = ids[token];
        bad[token] = id < 0 || id >= rows;
        for (int col = 0; col < dim; col++) {
            out[token * dim + col] = bad[token] ? 0 : table[id * dim + col];
        }
    }
}
