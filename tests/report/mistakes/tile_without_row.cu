#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;
extern "C" __global__ void gemm(const __half *a, float *out) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a_tile_of_the_block_with_a_long_name;
    wmma::load_matrix_sync(a_tile_of_the_block_with_a_long_name, a + 16 * blockIdx.x * 16);
}
