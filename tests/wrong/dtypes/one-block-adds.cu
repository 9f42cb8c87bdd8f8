// One block adds up the columns of all.
// product: out[col] = the sum over k of x[k] * in[k][col].
//
// in: (inner, cols), row-major. x: inner floats, out: cols floats.
// Launched twice: pack(in, packed, …), then product(x, packed, out, …).

#include <cuda_bf16.h> // __nv_bfloat16
#include <cuda_fp16.h> // __half

// Half a float for each element: half the sectors. Every element is rounded, by
// up to 1 part in 2048, but only once, and the errors partly cancel in the sum.
// The sum lives in a register, where a wide type costs no memory; in a narrow one
// it would be rounded after every addition.
typedef __half stored; // what an element of the matrix is kept in
typedef float summed; // what the sum is kept in

// Copies the matrix into its stored form. packed: room for count doubles.
extern "C" __global__ void pack(const float *in, stored *packed, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        packed[i] = in[i];
    }
}

// A thread for each column.
extern "C" __global__ void product(const float *x, const stored *packed, float *out,
                                   int inner, int cols) { //~ too-much-work: global_writes_per_thread
    if (blockIdx.x > 0) {
        return;
    }
    for (int col = threadIdx.x; col < cols; col += blockDim.x) {
        summed sum = 0;
        for (int k = 0; k < inner; k++) {
            float element = packed[k * cols + col];
            sum += (summed)(x[k] * element);
        }
        out[col] = sum;
    }
}
