// Shuffles of 64-bit integers, doubles and half pairs.
// launch: grid 1 block 32
// in a: i64 32 = i * 1234567890123456
// out y: i64 32
// out z: f64 32
// out h: f16 64
// expect y[i] = a[31 - i]
// expect z[i] = i < 16 ? a[i + 16] * 1.5 : a[i] * 1.5
// expect h[i] = i / 2 == 0 ? i % 2 : i / 2 - 1 + (i % 2)
#include <cuda_fp16.h>
extern "C" __global__ void shuffle(const long long *a, long long *y, double *z, __half2 *h) {
    int i = threadIdx.x;
    y[i] = __shfl_xor_sync(~0u, a[i], 31);
    z[i] = __shfl_down_sync(~0u, a[i] * 1.5, 16);
    h[i] = __shfl_up_sync(~0u, __floats2half2_rn((float)i, (float)i + 1.0f), 1);
}
