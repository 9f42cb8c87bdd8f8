// The comparison is one, of unsigned numbers; the row is a pointer.
extern "C" __global__ void embed(const int *ids, const float *table, float *out,
                                 unsigned char *bad, int n, int rows, int dim) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * dim) {
        int token = i / dim;
        int col = i % dim;
        unsigned id = ids[token];
        float value = 0;
        unsigned char strange = 1;
        if (id < (unsigned)rows) {
            const float *row = table + (size_t)id * dim;
            value = row[col];
            strange = 0;
        }
        out[i] = value;
        if (col == 0) {
            bad[token] = strange;
        }
    }
}
