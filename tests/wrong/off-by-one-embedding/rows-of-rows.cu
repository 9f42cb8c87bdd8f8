// Takes the number of rows for the length of one.
// embed: look up each token's row in a table.
//
// ids: n tokens. table: (rows, dim), row-major. out: (n, dim). bad: n flags.
// As many blocks as it takes to have a thread for each element of out.

extern "C" __global__ void embed(const int *ids, const float *table, float *out,
                                 unsigned char *bad, int n, int rows, int dim) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // The first guard is for what the thread computes from its own number …
    if (i < n * dim) {
        int token = i / dim;
        int col = i % dim;
        int id = ids[token];
        // … the second for what it finds in memory. Anything may stand there,
        // so both ends are looked at, before the table is.
        bool known = id >= 0 && id < rows;
        out[i] = known ? table[id * rows + col] : 0; //~ out-of-bounds
        // One thread of each token tells.
        if (col == 0) {
            bad[token] = !known;
        }
    }
}
