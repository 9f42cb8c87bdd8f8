// What misaligned-gemm asks about.
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
