// The instructions themselves; the thread's tile is told by its number.
#define THREADS 128 // also the elements of a tile

__device__ void copy(float *tile, const float *y, int start, int m) {
    int t = threadIdx.x;
    if (start + t < m) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                         (unsigned)__cvta_generic_to_shared(tile + t)),
                     "l"(y + start + t)
                     : "memory");
    }
}

extern "C" __global__ void distances(const float *x, const float *y, float *out, int n, int m) {
    __shared__ float tile[2][THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    float mine = i < n ? x[i] : 0;
    float sum = 0;

    copy(tile[0], y, 0, m);
    for (int step = 0; step * THREADS < m; step++) {
        int start = step * THREADS, buffer = step & 1;
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();

        copy(tile[1 - buffer], y, start + THREADS, m);

        int count = min(THREADS, m - start);
        for (int k = 0; k < count; k++) {
            sum += fabsf(mine - tile[buffer][k]);
        }
        
    }

    if (i < n) {
        out[i] = sum;
    }
}
