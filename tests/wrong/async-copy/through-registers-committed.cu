// The copy goes through a register; that commits and waits are there makes it no cp.async.
#include <cuda_pipeline.h> // __pipeline_memcpy_async and its relatives

#define THREADS 128 // also the elements of a tile

// Begins to copy this thread's element of the tile at start, and does not wait.
// Past the end there is nothing to copy.
__device__ void copy(float *tile, const float *y, int start, int m) {
    int t = threadIdx.x;
    if (start + t < m) {
        tile[t] = y[start + t];
    }
}

extern "C" __global__ void distances(const float *x, const float *y, float *out, int n, int m) { //~ too-much-work: async_instructions
    // One is used while the other is filled.
    __shared__ float tile[2][THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    float mine = i < n ? x[i] : 0;
    float sum = 0;

    copy(tile[0], y, 0, m);
    __pipeline_commit();
    int buffer = 0; // of this tile
    for (int start = 0; start < m; start += THREADS) {
        // Each thread waits for its own copy, then all for each other. Now this
        // tile is complete, and all have finished with the previous one.
        __pipeline_wait_prior(0);
        __syncthreads();

        // So its buffer is free for the next one, which is on its way while …
        copy(tile[1 - buffer], y, start + THREADS, m);
        __pipeline_commit();

        // … this one is used.
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
