// Right, but without the tensor cores: each lane adds up elements by itself.
#include <cuda_fp16.h>
extern "C" __global__ void gemm(const __half *a, const __half *b, float *out,
                                int rows, int inner, int cols) { //~ too-much-work: flops_f16
    int col = blockIdx.x * 32 + threadIdx.x;
    for (int row = blockIdx.y * 32; row < blockIdx.y * 32 + 32 && row < rows; row++) {
        float sum = 0;
        for (int k = 0; k < inner && col < cols; k++) {
            sum += __half2float(a[row * inner + k]) * __half2float(b[k * cols + col]);
        }
        if (col < cols) {
            out[row * cols + col] = sum;
        }
    }
}
