// The products by plain arithmetic, beside products of zeros on the tensor cores.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda::wmma;

#define TILE 16

extern "C" __global__ void gemm(const __half *a, const __half *b, float *out, //~ too-much-work: flops_f32
                                int rows, int inner, int cols) {
    __shared__ __half s_a[2 * TILE][TILE], s_b[TILE][2 * TILE];
    fragment<matrix_a, TILE, TILE, TILE, __half, row_major> a_tile;
    fragment<matrix_b, TILE, TILE, TILE, __half, row_major> b_tile;
    fragment<accumulator, TILE, TILE, TILE, float> nothing;
    fill_fragment(a_tile, __float2half(0.0f));
    fill_fragment(b_tile, __float2half(0.0f));
    fill_fragment(nothing, 0.0f);
    int row = 2 * blockIdx.y * TILE, col = 2 * blockIdx.x * TILE, t = threadIdx.x;
    int tall = row + TILE < rows ? 2 : 1, wide = col + TILE < cols ? 2 : 1;
    float sum[2 * TILE] = {};
    for (int start = 0; start < inner; start += TILE) {
        for (int r = t / 16; r < tall * TILE; r += 2) {
            s_a[r][t % 16] = a[(row + r) * inner + start + t % 16];
        }
        for (int k = 0; k < TILE; k++) {
            if (t < wide * TILE) {
                s_b[k][t] = b[(start + k) * cols + col + t];
            }
        }
        __syncwarp();
        for (int k = 0; k < TILE; k++) {
            for (int r = 0; r < 2 * TILE; r++) {
                if (r < tall * TILE && t < wide * TILE) {
                    sum[r] += __half2float(s_a[r][k]) * __half2float(s_b[k][t]);
                }
            }
        }
        __syncwarp();
        for (int i = 0; i < tall * wide; i++) {
            mma_sync(nothing, a_tile, b_tile, nothing);
        }
    }
    for (int r = 0; r < tall * TILE; r++) {
        if (t < wide * TILE) {
            out[(row + r) * cols + col + t] = sum[r] + nothing.x[0];
        }
    }
}
