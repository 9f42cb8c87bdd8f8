// Three days in each turn of the loop, and the last patient by the first thread.
#include <cuda_fp16.h>

#define THREADS 256
#define DAYS 90

extern "C" __global__ void doses(const __half *keep, const __half *dose, __half *level, int n) {
    int pair = blockIdx.x * THREADS + threadIdx.x;
    int i = 2 * pair; // the first of its two patients
    if (i + 1 < n) {
        __half2 rate = ((const __half2 *)keep)[pair];
        __half2 more = ((const __half2 *)dose)[pair];
        __half2 now = __float2half2_rn(0.0f); // 0 in both halves
        for (int turn = 0; turn < DAYS / 3; turn++) {
            now = __hfma2(now, rate, more);
            now = __hfma2(now, rate, more);
            now = __hfma2(now, rate, more);
        }
        ((__half2 *)level)[pair] = now;
    }
    if (pair == 0 && n % 2 == 1) {
        i = n - 1;
        __half now = __float2half(0.0f);
        for (int day = 0; day < DAYS; day++) {
            now = __hfma(now, keep[i], dose[i]);
        }
        level[i] = now;
    }
}
