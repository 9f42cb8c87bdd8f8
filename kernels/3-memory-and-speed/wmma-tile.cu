// wmma_matmul: multiply two matrices on the tensor cores.
//
// a: (rows, inner), b: (inner, cols), both of __half; out: (rows, cols) of float.
// All row-major, all sizes multiples of 16.
// A block is one warp, and computes the 16×16 tile (blockIdx.y, blockIdx.x) of out.

#include <cuda_fp16.h> // __half
#include <mma.h>       // fragments

using namespace nvcuda::wmma;

#define TILE 16

extern "C" __global__ void wmma_matmul(const __half *a, const __half *b, float *out,
                                       int rows, int inner, int cols) {
    // Write here what the warp does. Its tile of out begins at row
    // blockIdx.y * TILE, column blockIdx.x * TILE.
}

