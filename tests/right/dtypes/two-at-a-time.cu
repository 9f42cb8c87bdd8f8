// Two rows of the matrix are taken at a time, and the kernel returns early.
#include <cuda_bf16.h> // __nv_bfloat16
#include <cuda_fp16.h> // __half

typedef __half stored; // what an element of the matrix is kept in
typedef float summed; // what the sum is kept in

extern "C" __global__ void pack(const float *in, stored *packed, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        packed[i] = in[i];
    }
}

extern "C" __global__ void product(const float *x, const stored *packed, float *out,
                                   int inner, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        summed sum = 0;
        int k = 0;
        for (; k + 1 < inner; k += 2) {
            float first = packed[k * cols + col], second = packed[(k + 1) * cols + col];
            sum += x[k] * first + x[k + 1] * second;
        }
        if (k < inner) {
            sum += x[k] * (float)packed[k * cols + col];
        }
        out[col] = sum;
    }
}
