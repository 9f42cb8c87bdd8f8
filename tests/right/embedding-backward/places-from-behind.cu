// One loop counts the words before and the own; tokens are placed from the last one on.
extern "C" __global__ void sort_tokens(const int *ids, int *order, int tokens, int words) {
    int word = blockIdx.x * blockDim.x + threadIdx.x;
    if (word < words) {
        int before = 0, own = 0;
        for (int t = 0; t < tokens; t++) {
            int its = ids[t] % words;
            before += its < word ? 1 : 0;
            own += its == word ? 1 : 0;
        }
        for (int t = tokens - 1; own > 0; t--) {
            if (ids[t] % words == word) {
                own--;
                order[before + own] = t;
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
            if (word[k + 1] != word[k]) {
                atomicAdd(&table[word[k] * dim + c], sum);
                sum = 0;
            }
        }
    }
}
