// Past the end the copy fills with zeros.
#include <cuda_pipeline.h> // __pipeline_memcpy_async and its relatives

#define THREADS 128 // also the elements of a tile

__device__ void copy(float *tile, const float *y, int start, int m) {
    int t = threadIdx.x;
    int i = start + t;
    __pipeline_memcpy_async(&tile[t], &y[i < m ? i : 0], sizeof(float), i < m ? 0 : sizeof(float));
}

extern "C" __global__ void distances(const float *x, const float *y, float *out, int n, int m) {
    __shared__ float tile[2][THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    float mine = i < n ? x[i] : 0;
    float sum = 0;

    copy(tile[0], y, 0, m);
    __pipeline_commit();
    int buffer = 0; // of this tile
    for (int start = 0; start < m; start += THREADS) {
        __pipeline_wait_prior(0);
        __syncthreads();

        copy(tile[1 - buffer], y, start + THREADS, m);
        __pipeline_commit();

        int count = min(THREADS, m - start);
        for (int k = 0; k < count; k++) {
            float d = mine - tile[buffer][k];
            sum += d < 0 ? -d : d;
        }
        buffer = 1 - buffer;
    }

    if (i < n) {
        out[i] = sum;
    }
}
