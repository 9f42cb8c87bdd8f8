// The inner loop goes to the end of a run of one word, then adds once.
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
        int k = 0;
        while (k < end - first) {
            int now = word[k];
            sum = 0;
            for (; word[k] == now; k++) {
                sum += grads[row[k] * dim + c];
            }
            atomicAdd(table + now * dim + c, sum);
        }
    }
}
