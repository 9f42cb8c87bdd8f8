// A token for each thread, as long as there are any.

extern "C" __global__ void embed(const int *ids, const float *table, float *out,
                                 unsigned char *bad, int n, int rows, int dim) {
    int token = blockIdx.x * blockDim.x + threadIdx.x;
    if (token >= n) {
        return;
    }
    int id = ids[token];
    bad[token] = id < 0 || id >= rows;
    for (int col = 0; col < dim; col++) {
        out[token * dim + col] = bad[token] ? 0 : table[id * dim + col];
    }
}
