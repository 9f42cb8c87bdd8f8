// Right, but a thread has a stretch of the row.
extern "C" __global__ void sort_tokens(const int *ids, int *order, int tokens, int words) {
    int word = blockIdx.x * blockDim.x + threadIdx.x;
    if (word < words) {
        int place = 0;
        for (int t = 0; t < tokens; t++) {
            place += ids[t] % words < word;
        }
        for (int t = 0; t < tokens; t++) {
            if (ids[t] % words == word) {
                order[place] = t;
                place++;
            }
        }
    }
}

#define THREADS 64
#define CHUNK 32

extern "C" __global__ void embedding_backward(const int *ids, const int *order, const float *grads, //~ too-much-work: load_sectors
                                              float *table, int tokens, int words, int dim) {
    int first = blockIdx.x * CHUNK;
    int end = min(first + CHUNK, tokens);
    int each = (dim + THREADS - 1) / THREADS;
    for (int c = threadIdx.x * each; c < min(dim, int(threadIdx.x + 1) * each); c++) {
        float sum = 0;
        for (int k = first; k < end; k++) {
            int t = order[k];
            int word = ids[t] % words;
            sum += grads[t * dim + c];
            if (k + 1 == end || ids[order[k + 1]] % words != word) {
                atomicAdd(&table[word * dim + c], sum);
                sum = 0;
            }
        }
    }
}
