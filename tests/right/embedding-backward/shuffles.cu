// Rows and words are in registers of the lanes, and come by shuffles.
extern "C" __global__ void sort_tokens(const int *ids, int *order, int tokens, int words) {
    int word = blockIdx.x * blockDim.x + threadIdx.x;
    if (word < words) {
        int place = 0; // behind all tokens of the words before
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
    int lane = threadIdx.x % 32, mine = 0, its = -1;
    if (first + lane < end) {
        mine = order[first + lane];
        its = ids[mine] % words;
    }
    int row[CHUNK], word[CHUNK + 1];
#pragma unroll
    for (int k = 0; k < CHUNK; k++) {
        row[k] = __shfl_sync(0xffffffff, mine, k);
        word[k] = __shfl_sync(0xffffffff, its, k);
    }
    word[CHUNK] = -1;

    for (int c = threadIdx.x; c < dim; c += THREADS) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k < CHUNK; k++) {
            if (word[k] < 0) {
                continue;
            }
            sum += grads[row[k] * dim + c];
            if (word[k + 1] != word[k]) {
                atomicAdd(&table[word[k] * dim + c], sum);
                sum = 0;
            }
        }
    }
}
