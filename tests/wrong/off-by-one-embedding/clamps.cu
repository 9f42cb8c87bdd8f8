// Takes the nearest row instead: a wrong id gets the values of another word, and nobody hears of it.
extern "C" __global__ void embed(const int *ids, const float *table, float *out,
                                 unsigned char *bad, int n, int rows, int dim) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * dim) {
        int token = i / dim;
        int col = i % dim;
        int id = ids[token];
        int row = min(max(id, 0), rows - 1);
        out[i] = table[row * dim + col]; //~ wrong-result
        if (col == 0) {
            bad[token] = id != row;
        }
    }
}
