// Right, but each block has a word and looks for its tokens.
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
    for (int word = blockIdx.x; word < words; word += gridDim.x)
    for (int c = threadIdx.x; c < dim; c += THREADS) {
        float sum = 0;
        for (int t = 0; t < tokens; t++) {
            if (ids[t] % words == word) {
                sum += grads[t * dim + c];
            }
        }
        table[word * dim + c] += sum;
    }
}
