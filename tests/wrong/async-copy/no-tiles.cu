// distances: out[i] = |x[i] - y[0]| + |x[i] - y[1]| + … + |x[i] - y[m - 1]|
//
// x and out have n elements, y has m. Blocks of THREADS threads, a thread for
// each element of out.
//
// This kernel is right; but while a tile is fetched, nobody computes.

#include <cuda_pipeline.h> // __pipeline_memcpy_async and its relatives

#define THREADS 128 // also the elements of a tile

extern "C" __global__ void distances(const float *x, const float *y, float *out, int n, int m) { //~ too-much-work: global_reads_per_thread
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) {
        float sum = 0;
        for (int k = 0; k < m; k++) {
            sum += fabsf(x[i] - y[k]);
        }
        out[i] = sum;
    }
}
