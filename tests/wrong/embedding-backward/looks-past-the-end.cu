// Looks for the next place where there is none.
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

extern "C" __global__ void embedding_backward(const int *ids, const int *order, const float *grads,
                                              float *table, int tokens, int words, int dim) {
    int first = blockIdx.x * CHUNK;
    int end = min(first + CHUNK, tokens);
    for (int c = threadIdx.x; c < dim; c += THREADS) {
        float sum = 0;
        for (int k = first; k < end; k++) {
            int t = order[k];
            int word = ids[t] % words;
            sum += grads[t * dim + c];
            if (ids[order[k + 1]] % words != word) { //~ out-of-bounds
                atomicAdd(&table[word * dim + c], sum);
                sum = 0;
            }
        }
    }
}
