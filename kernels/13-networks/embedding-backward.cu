// embedding_backward: for each token, add its gradient to the row of its word:
//     table[ids[t] % words][c] += grads[t][c]
//
// ids: one number for each token; modulo words it is the word.
// grads: (tokens, dim), table: (words, dim), both row-major. table already
// holds gradients, which must be kept.
//
// This kernel is right, but adds each number separately, with an atomic.

// Fills order with the tokens, sorted by word. Leave it as it is. (Each thread looks
// at all tokens, for one word. For many tokens there are better ways.)
extern "C" __global__ void sort_tokens(const int *ids, int *order, int tokens, int words) {
    int word = blockIdx.x * blockDim.x + threadIdx.x;
    if (word < words) {
        int place = 0; // after all tokens of the words before
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

// A block of THREADS threads for each CHUNK tokens.
extern "C" __global__ void embedding_backward(const int *ids, const int *order, const float *grads,
                                              float *table, int tokens, int words, int dim) {
    int first = blockIdx.x * CHUNK;
    int end = min(first + CHUNK, tokens);
    for (int c = threadIdx.x; c < dim; c += THREADS) {
        for (int t = first; t < end; t++) {
            int word = ids[t] % words;
            atomicAdd(&table[word * dim + c], grads[t * dim + c]);
        }
    }
}
