// Cross-entropy and its gradient, in double, by one thread a row.
extern "C" __global__ void cross_entropy(float *logits, const int *targets, float *losses,
                                         int tokens, int vocab) {
    if (threadIdx.x == 0) {
        float *row = logits + (long long)blockIdx.x * vocab;
        int target = targets[blockIdx.x] % vocab;
        double top = row[0], sum = 0;
        for (int c = 1; c < vocab; c++) {
            top = fmax(top, (double)row[c]);
        }
        for (int c = 0; c < vocab; c++) {
            sum += exp(row[c] - top);
        }
        losses[blockIdx.x] = (float)(log(sum) + top - row[target]);
        for (int c = 0; c < vocab; c++) {
            row[c] = (float)((exp(row[c] - top) / sum - (c == target ? 1 : 0)) / tokens);
        }
    }
}
