// An accumulator that has a value on every way.
// launch: grid 2 block 32
// arg steps: i32 = 0
// in a: f32 256 = i
// out y: f32 512
// expect y[i] = 0
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void scaled(int steps, const float *a, float *y) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    if (steps > 0) wmma::load_matrix_sync(sums, a, 16, wmma::mem_row_major);
    else wmma::fill_fragment(sums, 0.0f);
    wmma::store_matrix_sync(y + blockIdx.x * 256, sums, 16, wmma::mem_row_major);
}
