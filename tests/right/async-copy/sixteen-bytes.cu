// Four elements in one copy, where there are four; what is left over one by one.
#include <cuda_pipeline.h> // __pipeline_memcpy_async and its relatives

#define THREADS 128 // also the elements of a tile

__device__ void copy(float *tile, const float *y, int start, int m) {
    int first = 4 * threadIdx.x;
    if (first >= THREADS) {
        return;
    }
    if (start + first + 3 < m) {
        __pipeline_memcpy_async(&tile[first], &y[start + first], 4 * sizeof(float));
    } else {
        for (int i = first; start + i < m && i < first + 4; i++) {
            __pipeline_memcpy_async(&tile[i], &y[start + i], sizeof(float));
        }
    }
}

extern "C" __global__ void distances(const float *x, const float *y, float *out, int n, int m) {
    __shared__ alignas(16) float tile[2][THREADS];
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
            sum += fabsf(mine - tile[buffer][k]);
        }
        buffer = 1 - buffer;
    }

    if (i < n) {
        out[i] = sum;
    }
}
