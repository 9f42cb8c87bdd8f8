// Every thread of a token writes its flag.
extern "C" __global__ void embed(const int *ids, const float *table, float *out,
                                 unsigned char *bad, int n, int rows, int dim) { //~ too-much-work: global_writes
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * dim) {
        int token = i / dim;
        int col = i % dim;
        int id = ids[token];
        bool known = id >= 0 && id < rows;
        out[i] = known ? table[id * dim + col] : 0;
        bad[token] = !known;
    }
}
