// Right, but a lane adds up each element by itself, in float.
#include <cuda_fp16.h>
extern "C" __global__ void wmma_matmul(const __half *a, const __half *b, float *out,
                                       int rows, int inner, int cols) { //~ too-much-work: flops_f16
    int row = blockIdx.y * 16;
    int col = blockIdx.x * 16 + threadIdx.x % 16;
    for (int y = threadIdx.x / 16; y < 16; y += 2) {
        float sum = 0;
        for (int k = 0; k < inner; k++) {
            sum += __half2float(a[(row + y) * inner + k]) * __half2float(b[k * cols + col]);
        }
        out[(row + y) * cols + col] = sum;
    }
}
