// Neighbours, but one after the other: reads of 2 bytes, and twice the instructions.
#include <cuda_fp16.h>

#define THREADS 256
#define DAYS 90

extern "C" __global__ void doses(const __half *keep, const __half *dose, __half *level, int n) { //~ too-much-work: load_requests
    for (int k = 0; k < 2; k++) {
        int i = 2 * (blockIdx.x * THREADS + threadIdx.x) + k;
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
