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
        // … the second for what it finds in memory. Anything may be there, so
        // both ends are checked before the table is read.
        bool known = id >= 0 && id < rows;
        out[i] = known ? table[id * dim + col] : 0;
        // One thread of each token sets its flag.
        if (col == 0) {
            bad[token] = !known;
        }
    }
}
