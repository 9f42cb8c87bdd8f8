// What score() should do, in one kernel.

__global__ void all(const float *queries, const float *keys, float *scores, int m, int n, int dim) {
    int head = blockIdx.x, at = threadIdx.x;
    for (; at < m * n; at += blockDim.x) {
        double sum = 0;
        for (int i = 0; i < dim; i++) {
            sum += (double)queries[(head * m + at / n) * dim + i] * keys[(head * n + at % n) * dim + i];
        }
        scores[head * m * n + at] = sum > 0 ? sum : 0;
    }
}

void score(const float *queries, const float *keys, float *scores, int heads, int m, int n, int dim) {
    all<<<heads, 256>>>(queries, keys, scores, m, n, dim);
    cudaGetLastError();
}
