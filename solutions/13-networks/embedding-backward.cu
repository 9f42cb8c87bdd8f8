// embedding_backward: for each token, add its gradient to the row of its word:
//     table[ids[t] % words][c] += grads[t][c]
//
// ids: one number for each token; modulo words it is the word.
// grads: (tokens, dim), table: (words, dim), both row-major. table already
// holds gradients, which must be kept.

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
    // What all columns need, fetched once: the tokens, and their words. After the
    // last comes a word that does not exist.
    __shared__ int row[CHUNK], word[CHUNK + 1];
    for (int k = threadIdx.x; k <= CHUNK; k += THREADS) {
        bool real = first + k < end;
        int t = real ? order[first + k] : 0;
        if (k < CHUNK) {
            row[k] = t;
        }
        word[k] = real ? ids[t] % words : -1;
    }
    __syncthreads();

    for (int c = threadIdx.x; c < dim; c += THREADS) {
        float sum = 0;
#pragma unroll 4 // several reads are under way before the first is added
        for (int k = 0; k < end - first; k++) {
            sum += grads[row[k] * dim + c];
            // The last of this word, as far as this block can see? Its other
            // tokens may be with a neighbour, so an atomic is still needed.
            if (word[k + 1] != word[k]) {
                atomicAdd(&table[word[k] * dim + c], sum);
                sum = 0;
            }
        }
    }
}
