// Pairs are moved, floats computed with: exact, and not what was asked.
#include <cuda_fp16.h>

#define THREADS 256
#define DAYS 90

extern "C" __global__ void doses(const __half *keep, const __half *dose, __half *level, int n) { //~ too-much-work: flops_f16
    int pair = blockIdx.x * THREADS + threadIdx.x;
    int i = 2 * pair; // the first of its two patients
    if (i + 1 < n) {
        // i is even, so the address is a multiple of 4, as a __half2 needs it.
        __half2 rate = ((const __half2 *)keep)[pair];
        __half2 more = ((const __half2 *)dose)[pair];
        float2 now = {0, 0}, r = __half22float2(rate), m = __half22float2(more);
        for (int day = 0; day < DAYS; day++) {
            now.x = now.x * r.x + m.x;
            now.y = now.y * r.y + m.y;
        }
        ((__half2 *)level)[pair] = __float22half2_rn(now);
    } else if (i < n) {
        // The last of an odd number: one thread of the grid has it.
        __half now = __float2half(0.0f);
        for (int day = 0; day < DAYS; day++) {
            now = __hfma(now, keep[i], dose[i]);
        }
        level[i] = now;
    }
}
