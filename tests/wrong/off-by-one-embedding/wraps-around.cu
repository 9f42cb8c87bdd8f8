// Wraps an id that is too large to the beginning.
extern "C" __global__ void embed(const int *ids, const float *table, float *out,
                                 unsigned char *bad, int n, int rows, int dim) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * dim) {
        int token = i / dim;
        int col = i % dim;
        int id = ids[token];
        bool known = id >= 0 && id < rows;
        out[i] = table[(id + rows) % rows * dim + col]; //~ wrong-result
        if (col == 0) {
            bad[token] = !known;
        }
    }
}
