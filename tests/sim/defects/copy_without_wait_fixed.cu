// Each thread waits for its copies, then all for each other.
// arch: 80
// launch: grid 2 block 32
// in a: i32 256 = i
// out y: i32 256
// expect y[i] = i / 128 * 128 + 127 - i % 128
#include <cuda_pipeline.h>
extern "C" __global__ void copies(const int *a, int *y) {
    __shared__ __align__(16) int tile[128];
    int t = threadIdx.x, first = blockIdx.x * 128;
    __pipeline_memcpy_async(&tile[4 * t], &a[first + 4 * t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int k = t; k < 128; k += 32) {
        y[first + k] = tile[127 - k];
    }
}
