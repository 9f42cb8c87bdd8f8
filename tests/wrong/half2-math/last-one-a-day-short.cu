// The last patient of an odd number begins a day late.
#include <cuda_fp16.h>

#define THREADS 256
#define DAYS 90

extern "C" __global__ void doses(const __half *keep, const __half *dose, __half *level, int n) {
    int pair = blockIdx.x * THREADS + threadIdx.x;
    int i = 2 * pair; // the first of its two patients
    if (i + 1 < n) {
        // i is even, so the address is a multiple of 4, as a __half2 requires.
        __half2 rate = ((const __half2 *)keep)[pair];
        __half2 more = ((const __half2 *)dose)[pair];
        __half2 now = __float2half2_rn(0.0f); // 0 in both halves
        for (int day = 0; day < DAYS; day++) {
            now = __hfma2(now, rate, more); // two patients in one instruction
        }
        ((__half2 *)level)[pair] = now;
    } else if (i < n) {
        // The last patient of an odd number: one thread of the grid handles it.
        __half now = __float2half(0.0f);
        for (int day = 1; day < DAYS; day++) {
            now = __hfma(now, keep[i], dose[i]);
        }
        level[i] = now; //~ wrong-result
    }
}
