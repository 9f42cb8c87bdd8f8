// Two tiles in turn; in the last round the wait is for all.
// arch: 80
// launch: grid 1 block 32
// arg n: i32 = 4
// in a: i32 128 = i
// out y: i32 32
// expect y[i] = 4 * (31 - i) + 192
#include <cuda_pipeline.h>
extern "C" __global__ void copies(int n, const int *a, int *y) {
    __shared__ int tile[2][32];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&tile[0][t], &a[t], 4);
    __pipeline_commit();
    for (int k = 0; k < n; k++) {
        if (k + 1 < n) {
            __pipeline_memcpy_async(&tile[(k + 1) % 2][t], &a[(k + 1) * 32 + t], 4);
            __pipeline_commit();
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        __syncthreads();
        sum += tile[k % 2][31 - t];
        __syncthreads();
    }
    y[t] = sum;
}
