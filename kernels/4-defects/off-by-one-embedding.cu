// embed: look up each token's row in a table.
//
// ids: n tokens. table: (rows, dim), row-major. out: (n, dim). bad: n flags.
// As many blocks as it takes to have a thread for each element of out.
//
// There is a guard, and a check of the ids. Check the kernel anyway.

extern "C" __global__ void embed(const int *ids, const float *table, float *out,
                                 unsigned char *bad, int n, int rows, int dim) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * dim) {
        int token = i / dim;
        int col = i % dim;
        int id = ids[token];
        bool known = id <= rows;
        out[i] = known ? table[id * dim + col] : 0;
        if (col == 0) {
            bad[token] = !known;
        }
    }
}
