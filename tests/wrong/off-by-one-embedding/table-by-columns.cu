// Reads the table as if it lay column by column.
extern "C" __global__ void embed(const int *ids, const float *table, float *out,
                                 unsigned char *bad, int n, int rows, int dim) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * dim) {
        int token = i / dim;
        int col = i % dim;
        int id = ids[token];
        bool known = id >= 0 && id < rows;
        out[i] = known ? table[col * rows + id] : 0; //~ wrong-result: exchanged-index
        if (col == 0) {
            bad[token] = !known;
        }
    }
}
