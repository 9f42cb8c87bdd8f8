// misaligned-gemm: answer before anything runs.
//
// A and B are n × n halves, C n × n floats, row-major. A block is one warp and
// computes a tile of 16 × 16 of C on the tensor cores. Three launches:
//   even   kernel even, n rows and columns
//   any    kernel any, n rows and columns
//   odd    kernel any, n + 1 rows and columns
// n = 128 unless a question says otherwise.
//
// The answers, and how to find them.

// How many tiles of C are there in `odd`?
// 129 / 16 rounded up is 9: 9 * 9 tiles, and the last of each row holds one column.
// answer tiles = 81

// How many times as many operations do the tensor cores do in `odd` as in
// `even`? Within a twentieth is close enough.
// Each of 81 tiles needs 9 steps, against 64 tiles of 8: 729 / 512. The last
// tiles are nearly all padding.
// answer work = 1.42

// How many times as many requests to load from global memory do the warps issue
// in `odd` as in `even`? Within a sixth is close enough.
// Eight loads of a half each where there was one of eight, and 729 / 512 times as
// many tiles. (A little less is counted: where all lanes of a load are past the
// edge, none is issued.)
// answer requests = 11

// Modelled on a T4: how many times as long does `odd` take as `even`?
//   a   less than twice as long
//   b   two to sixteen times as long
//   c   sixteen times as long, or more
// What a warp waits for are its loads, and there are about eight in a row in
// place of one. The tensor cores are hardly busy in either kernel.
// answer time = b

// What is to blame for most of it?
//   a   the tiles that one more row and column need
//   b   loads of single halves, where there were loads of eight
// `any` is nearly as slow as `odd`, without one tile more.
// answer cause = b

// With n = 16, so 17 in `odd`: how many times as many operations do the tensor
// cores do in `odd` as in `even`?
// Two tiles for one in each direction, and two steps for one along k.
// answer small_work = 8

#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

// One warp multiplies a row of tiles by a column of tiles: C = A * B, n × n,
// a block of one warp for each 16 × 16 tile of C.
// wide: a lane fetches 8 neighbours at once. Otherwise one by one, zero past the edge.
template <bool wide> __device__ void fetch(half *tile, const half *from, int row, int col, int n) {
    int lane = threadIdx.x;
    if (wide) {
        int r = lane / 2, c = lane % 2 * 8;
        *(uint4 *)(tile + r * 16 + c) = *(const uint4 *)(from + (row + r) * n + col + c);
    } else {
        for (int i = lane; i < 256; i += 32) {
            int r = row + i / 16, c = col + i % 16;
            tile[i] = r < n && c < n ? from[r * n + c] : __float2half(0.0f);
        }
    }
}

template <bool wide> __device__ void gemm(const half *A, const half *B, float *C, int n) {
    __shared__ __align__(32) half a[256], b[256];
    __shared__ __align__(32) float c[256];
    int row = blockIdx.y * 16, col = blockIdx.x * 16;

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        fetch<wide>(a, A, row, k, n);
        fetch<wide>(b, B, k, col, n);
        __syncwarp();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, a, 16);
        wmma::load_matrix_sync(fb, b, 16);
        wmma::mma_sync(sum, fa, fb, sum);
        __syncwarp();
    }
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32) {
        int r = row + i / 16, s = col + i % 16;
        if (r < n && s < n) {
            C[r * n + s] = c[i];
        }
    }
}

// n a multiple of 16: rows begin at multiples of 16 bytes, and tiles fit.
extern "C" __global__ void even(const half *A, const half *B, float *C, int n) {
    gemm<true>(A, B, C, n);
}

// Any n.
extern "C" __global__ void any(const half *A, const half *B, float *C, int n) {
    gemm<false>(A, B, C, n);
}
