// Begins with the first dose, then counts all 90 days.
#include <cuda_fp16.h>

#define THREADS 256
#define DAYS 90

extern "C" __global__ void doses(const __half *keep, const __half *dose, __half *level, int n) { //~ wrong-result
    int pair = blockIdx.x * THREADS + threadIdx.x;
    int i = 2 * pair; // the first of its two patients
    if (i + 1 < n) {
        // i is even, so the address is a multiple of 4, as a __half2 needs it.
        __half2 rate = ((const __half2 *)keep)[pair];
        __half2 more = ((const __half2 *)dose)[pair];
        __half2 now = more;
        for (int day = 0; day < DAYS; day++) {
            now = __hfma2(now, rate, more); // two patients in one instruction
        }
        ((__half2 *)level)[pair] = now;
    } else if (i < n) {
        // The last of an odd number: one thread of the grid has it.
        __half now = dose[i];
        for (int day = 0; day < DAYS; day++) {
            now = __hfma(now, keep[i], dose[i]);
        }
        level[i] = now;
    }
}
