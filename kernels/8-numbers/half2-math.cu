// doses: what is in the blood after DAYS days, for n patients.
//
// Each day a patient keeps the share keep[i] of it and takes dose[i] more:
// level = level * keep + dose, beginning with 0.
// Blocks of THREADS threads, one block for 512 patients.
//
// This kernel is right, but does every step for one number at a time.

#include <cuda_fp16.h>

#define THREADS 256
#define DAYS 90

extern "C" __global__ void doses(const __half *keep, const __half *dose, __half *level, int n) {
    for (int k = 0; k < 2; k++) {
        int i = blockIdx.x * 2 * THREADS + k * THREADS + threadIdx.x;
        if (i < n) {
            __half rate = keep[i], more = dose[i];
            __half now = __float2half(0.0f);
            for (int day = 0; day < DAYS; day++) {
                now = __hfma(now, rate, more); // now * rate + more, rounded once
            }
            level[i] = now;
        }
    }
}
