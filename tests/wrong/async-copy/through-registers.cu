// The next tile is fetched into a register while this one is used, and stored later:
// two buffers and one barrier, but no cp.async.
#define THREADS 128

extern "C" __global__ void distances(const float *x, const float *y, float *out, int n, int m) { //~ too-much-work: async_instructions
    __shared__ float tile[2][THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    float mine = i < n ? x[i] : 0;
    float sum = 0;
    float next = t < m ? y[t] : 0;
    int buffer = 0;
    for (int start = 0; start < m; start += THREADS) {
        tile[buffer][t] = next;
        __syncthreads();
        int k = start + THREADS + t;
        next = k < m ? y[k] : 0;
        int count = min(THREADS, m - start);
        for (int k = 0; k < count; k++) {
            sum += fabsf(mine - tile[buffer][k]);
        }
        buffer = 1 - buffer;
    }
    if (i < n) {
        out[i] = sum;
    }
}
