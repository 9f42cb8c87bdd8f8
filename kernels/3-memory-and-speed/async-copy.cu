// distances: out[i] = |x[i] - y[0]| + |x[i] - y[1]| + … + |x[i] - y[m - 1]|
//
// x and out have n elements, y has m. Blocks of THREADS threads, a thread for
// each element of out.
//
// This kernel is right; but while a tile is fetched, nobody computes.

#include <cuda_pipeline.h> // __pipeline_memcpy_async and its relatives

#define THREADS 128 // also the elements of a tile

extern "C" __global__ void distances(const float *x, const float *y, float *out, int n, int m) {
    __shared__ float tile[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    float mine = i < n ? x[i] : 0;
    float sum = 0;

    // Yours: copy the next tile by cp.async while this one is used.
    for (int start = 0; start < m; start += THREADS) {
        if (start + t < m) {
            tile[t] = y[start + t];
        }
        __syncthreads(); // the tile is complete
        int count = min(THREADS, m - start);
        for (int k = 0; k < count; k++) {
            sum += fabsf(mine - tile[k]);
        }
        __syncthreads(); // nobody reads the tile any more
    }

    if (i < n) {
        out[i] = sum;
    }
}
