// The last patient alone is half of a pair, whose other half is 0.
#include <cuda_fp16.h>

#define THREADS 256
#define DAYS 90

extern "C" __global__ void doses(const __half *keep, const __half *dose, __half *level, int n) {
    int pair = blockIdx.x * THREADS + threadIdx.x;
    int i = 2 * pair; // the first of its two patients
    if (i >= n) {
        return;
    }
    bool alone = i + 1 == n;
    __half zero = __float2half(0.0f);
    __half2 rate, more;
    if (alone) {
        rate = __halves2half2(keep[i], zero);
        more = __halves2half2(dose[i], zero);
    } else {
        rate = *(const __half2 *)(keep + i);
        more = *(const __half2 *)(dose + i);
    }
    __half2 now = more;
    for (int day = 1; day < DAYS; day++) {
        now = __hfma2(now, rate, more);
    }
    if (alone) {
        level[i] = __low2half(now);
    } else {
        *(__half2 *)(level + i) = now;
    }
}
