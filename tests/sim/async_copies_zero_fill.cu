// cp.async with fewer source bytes than copied: the rest becomes zero.
// arch: 80
// launch: grid 1 block 32
// in a: i32 128 = i + 1
// out y: i32 128
// expect y[i] = i % 4 < i / 4 % 5 ? i + 1 : 0
#include <cuda_pipeline.h>
extern "C" __global__ void fill(const int *a, int *y) {
    __shared__ __align__(16) int tile[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[4 * t], &a[4 * t], 16, 16 - 4 * (t % 5));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    for (int k = 0; k < 4; k++) {
        y[4 * t + k] = tile[4 * t + k];
    }
}
