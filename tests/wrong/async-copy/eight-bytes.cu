// Copies eight bytes from addresses that are multiples of four.
#include <cuda_pipeline.h>

#define THREADS 128

__device__ void copy(float *tile, const float *y, int start, int m) {
    int t = threadIdx.x;
    if (start + t < m) {
        __pipeline_memcpy_async(&tile[t], &y[start + t], 8); //~ misaligned
    }
}

extern "C" __global__ void distances(const float *x, const float *y, float *out, int n, int m) {
    __shared__ float tile[2][THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    float mine = i < n ? x[i] : 0;
    float sum = 0;

    copy(tile[0], y, 0, m);
    __pipeline_commit();
    int buffer = 0;
    for (int start = 0; start < m; start += THREADS) {
        __pipeline_wait_prior(0);
        __syncthreads();

        copy(tile[1 - buffer], y, start + THREADS, m);
        __pipeline_commit();

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
