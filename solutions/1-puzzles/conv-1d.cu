// conv_1d: slide k weights over an array; each result is the weighted sum of
// k elements: out[i] = in[i] * weights[0] + in[i + 1] * weights[1] + …
// Past its end, `in` counts as zero.
//
// As many blocks as it takes to have a thread for each of the n elements.
// 1 <= k <= MAX_WEIGHTS, and a block has at least 8 threads.

#define MAX_THREADS 256 // the largest block that is launched here
#define MAX_WEIGHTS 4

extern "C" __global__ void conv_1d(const float *in, const float *weights, float *out,
                                   int n, int k) {
    __shared__ float tile[MAX_THREADS + MAX_WEIGHTS - 1];
    __shared__ float w[MAX_WEIGHTS];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    // First read: the thread's own element. Zeros past the end are stored in
    // the tile, so that the sum below needs no guard of its own.
    tile[t] = i < n ? in[i] : 0;

    // Second read: the first k threads fetch the weights, the next k - 1 the
    // elements after the block's last one. 2k - 1 <= 7 threads are enough.
    if (t < k) {
        w[t] = weights[t];
    } else if (t < 2 * k - 1) {
        int behind = t - k; // 0 … k - 2
        int j = (blockIdx.x + 1) * blockDim.x + behind;
        tile[blockDim.x + behind] = j < n ? in[j] : 0;
    }
    __syncthreads();

    if (i < n) {
        float sum = 0;
        for (int j = 0; j < k; j++) {
            sum += tile[t + j] * w[j];
        }
        out[i] = sum;
    }
}
