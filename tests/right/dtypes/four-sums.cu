// Four sums for every fourth row each; conversions by their names.
#include <cuda_bf16.h> // __nv_bfloat16
#include <cuda_fp16.h> // __half

typedef __half stored; // what an element of the matrix is kept in
typedef float summed; // what the sum is kept in

extern "C" __global__ void pack(const float *in, stored *packed, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        packed[i] = __float2half_rn(in[i]);
    }
}

extern "C" __global__ void product(const float *x, const stored *packed, float *out,
                                   int inner, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        summed part[4] = {};
        int k = 0;
        for (; k + 3 < inner; k += 4) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                part[j] = fmaf(x[k + j], __half2float(packed[(k + j) * cols + col]), part[j]);
            }
        }
        for (; k < inner; k++) {
            part[0] += x[k] * __half2float(packed[k * cols + col]);
        }
        out[col] = (part[0] + part[1]) + (part[2] + part[3]);
    }
}
