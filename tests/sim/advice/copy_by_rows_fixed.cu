// A warp copies a tile by way of a fragment: which lane touches which element is the instruction's doing.
//
// launch: grid 16 block 32
// in a: f32 8192 = i
// out b: f32 8192
// expect b[i] = i
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void copy_by_rows(const float *a, float *b) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> tile;
    // Two tiles side by side, of a matrix with 64 columns.
    for (int k = 0; k < 2; k++) {
        int corner = blockIdx.x / 2 * 16 * 64 + (blockIdx.x % 2 * 2 + k) * 16;
        wmma::load_matrix_sync(tile, a + corner, 64, wmma::mem_row_major);
        wmma::store_matrix_sync(b + corner, tile, 64, wmma::mem_row_major);
    }
}
