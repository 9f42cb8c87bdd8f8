// Atomics on 16-bit words: compare and swap, bf16 and f16 sums.
// launch: grid 2 block 32
// inout word: u16 2 = i * 7
// inout f: f16 1 = 0
// inout b: bf16 1 = 0
// expect word = 64 7
// expect f = 64
// expect b = 32
// arch: 80
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void halves(unsigned short *word, __half *f, __nv_bfloat16 *b) {
    unsigned short seen = *word, assumed;
    do {
        assumed = seen;
        seen = atomicCAS(word, assumed, (unsigned short)(assumed + 1));
    } while (seen != assumed);
    atomicAdd(f, __float2half(1.0f));
    atomicAdd(b, __float2bfloat16(0.5f));
}
