// Adds the sum to the row of the next word.
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
            int next = k + 1 == end ? word : ids[order[k + 1]] % words;
            if (k + 1 == end || next != word) {
                word = next;
                atomicAdd(&table[word * dim + c], sum); //~ wrong-result
                sum = 0;
            }
        }
    }
}
