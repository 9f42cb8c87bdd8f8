// Grid-stride loops, and a pointer that moves down the column.
#include <cuda_bf16.h> // __nv_bfloat16
#include <cuda_fp16.h> // __half

typedef __half stored; // what an element of the matrix is kept in
typedef float summed; // what the sum is kept in

extern "C" __global__ void pack(const float *in, stored *packed, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        packed[i] = (stored)in[i];
    }
}

extern "C" __global__ void product(const float *x, const stored *packed, float *out,
                                   int inner, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        summed sum = 0;
        const stored *at = packed + col;
        for (const float *from = x; from < x + inner; from++, at += cols) {
            sum += *from * (float)*at;
        }
        out[col] = sum;
    }
}
