// The row is clamped first, and what came from another row is not used.
extern "C" __global__ void embed(const int *ids, const float *table, float *out,
                                 unsigned char *bad, int n, int rows, int dim) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * dim) {
        int token = i / dim;
        int col = i % dim;
        int id = ids[token], row = min(max(id, 0), rows - 1);
        float value = table[row * dim + col];
        out[i] = row == id ? value : 0;
        if (col == dim - 1) {
            bad[token] = row != id;
        }
    }
}
