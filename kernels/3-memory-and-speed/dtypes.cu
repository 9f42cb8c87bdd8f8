// product: out[col] = the sum over k of x[k] * in[k][col].
//
// in: (inner, cols), row-major. x: inner floats, out: cols floats.
// Launched twice: pack(in, packed, …), then product(x, packed, out, …).
//
// These kernels are right, but much more exact than they need to be.

#include <cuda_bf16.h> // __nv_bfloat16
#include <cuda_fp16.h> // __half

typedef double stored; // what an element of the matrix is kept in
typedef double summed; // what the sum is kept in

// Copies the matrix into its stored form. packed: room for count doubles.
extern "C" __global__ void pack(const float *in, stored *packed, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        packed[i] = in[i];
    }
}

// A thread for each column.
extern "C" __global__ void product(const float *x, const stored *packed, float *out,
                                   int inner, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        summed sum = 0;
        for (int k = 0; k < inner; k++) {
            float element = packed[k * cols + col];
            sum += (summed)(x[k] * element);
        }
        out[col] = sum;
    }
}
