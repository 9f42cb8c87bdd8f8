// Two tiles are under way while a third is used.
#include <cuda_pipeline.h> // __pipeline_memcpy_async and its relatives

#define THREADS 128 // also the elements of a tile

__device__ void copy(float *tile, const float *y, int start, int m) {
    int t = threadIdx.x;
    if (start + t < m) {
        __pipeline_memcpy_async(&tile[t], &y[start + t], sizeof(float));
    }
}

extern "C" __global__ void distances(const float *x, const float *y, float *out, int n, int m) {
    __shared__ float tile[3][THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    float mine = i < n ? x[i] : 0;
    float sum = 0;

    copy(tile[0], y, 0, m);
    __pipeline_commit();
    copy(tile[1], y, THREADS, m);
    __pipeline_commit();
    int buffer = 0;
    for (int start = 0; start < m; start += THREADS) {
        __pipeline_wait_prior(1);
        __syncthreads();

        copy(tile[(buffer + 2) % 3], y, start + 2 * THREADS, m);
        __pipeline_commit();

        int count = min(THREADS, m - start);
        for (int k = 0; k < count; k++) {
            sum += fabsf(mine - tile[buffer][k]);
        }
        buffer = (buffer + 1) % 3;
    }

    if (i < n) {
        out[i] = sum;
    }
}
