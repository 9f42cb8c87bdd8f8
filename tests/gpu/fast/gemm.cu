// gemm_wide: out = a × b, of floats.
//
// a: (rows, inner), b: (inner, cols), out: (rows, cols), row-major. rows is a multiple of 128, cols of 256, inner of 16.
// Blocks of 256 threads for 128×256 elements of out, (cols / 256, rows / 128) of them. Dynamic shared memory:
// GEMM_WIDE_SHARED bytes.
//
// The lesson's kernel (gemm-ladder), with twice as many sums a thread (8×16), twice as long steps, no edges to look out
// for, and two floors more of what the lesson does: b's tile is copied past the registers (cp.async), and what the next k
// needs is read from the tiles while this one is multiplied, across the barrier too.

#include <cuda_runtime.h>

#define GEMM_WIDE_STEP 16
#define GEMM_WIDE_LINE (128 + 4) // of a's tile, which is transposed
#define GEMM_WIDE_SHARED (2 * GEMM_WIDE_STEP * (GEMM_WIDE_LINE + 256) * 4)

extern "C" __global__ __launch_bounds__(256, 1) void
gemm_wide(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int rows, int inner, int cols) {
    extern __shared__ __align__(16) float ab_tiles[];
    auto a_tile = (float (*)[GEMM_WIDE_STEP][GEMM_WIDE_LINE])ab_tiles;                             // [2]
    auto b_tile = (float (*)[GEMM_WIDE_STEP][256])(ab_tiles + 2 * GEMM_WIDE_STEP * GEMM_WIDE_LINE); // [2]
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    const int first_row = blockIdx.y * 128, first_col = blockIdx.x * 256;
    // A warp has 8×4 threads, so it reads 8 float4 of b and 4 of a at a time. A thread has eight squares of 4×4 sums,
    // two down and four along, 64 apart.
    const int x = (warp % 2 * 8 + lane % 8) * 4, y = (warp / 2 * 4 + lane / 8) * 4;
    float sum[8][16] = {};

    float4 next_a[2];
    auto fetch = [&](int start, int into) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            if (start < inner) {
                int idx = i * 128 + t / 2, r = idx % 128, k = idx / 128 * 8 + t % 2 * 4;
                next_a[i] = *(const float4 *)(a + (long long)(first_row + r) * inner + start + k);
            }
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int idx = i * 256 + t, k = idx / 64, col = idx % 64 * 4;
            if (start < inner) {
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                                 (unsigned)__cvta_generic_to_shared(&b_tile[into][k][col])),
                             "l"(b + (long long)(start + k) * cols + first_col + col));
            }
        }
        asm volatile("cp.async.commit_group;");
    };
    // Stores what was fetched of a; behind the barrier both tiles are there.
    auto finish = [&](int into) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int idx = i * 128 + t / 2, row = idx % 128, k = idx / 128 * 8 + t % 2 * 4;
            a_tile[into][k][row] = next_a[i].x;
            a_tile[into][k + 1][row] = next_a[i].y;
            a_tile[into][k + 2][row] = next_a[i].z;
            a_tile[into][k + 3][row] = next_a[i].w;
        }
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
    };
    auto read = [&](float (&down)[8], float (&along)[16], int now, int k) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            float4 v = *(float4 *)&a_tile[now][k][y + i * 64];
            down[4 * i] = v.x;
            down[4 * i + 1] = v.y;
            down[4 * i + 2] = v.z;
            down[4 * i + 3] = v.w;
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float4 v = *(float4 *)&b_tile[now][k][x + i * 64];
            along[4 * i] = v.x;
            along[4 * i + 1] = v.y;
            along[4 * i + 2] = v.z;
            along[4 * i + 3] = v.w;
        }
    };

    fetch(0, 0);
    finish(0);
    float down[2][8], along[2][16];
    read(down[0], along[0], 0, 0);
    int now = 0;
    for (int start = 0; start < inner; start += GEMM_WIDE_STEP) {
        fetch(start + GEMM_WIDE_STEP, 1 - now);
#pragma unroll
        for (int k = 0; k < GEMM_WIDE_STEP; k++) {
            if (k == GEMM_WIDE_STEP - 1) {
                finish(1 - now);
                read(down[(k + 1) % 2], along[(k + 1) % 2], 1 - now, 0);
            } else {
                read(down[(k + 1) % 2], along[(k + 1) % 2], now, k + 1);
            }
#pragma unroll
            for (int i = 0; i < 8; i++) {
#pragma unroll
                for (int j = 0; j < 16; j++) {
                    sum[i][j] += down[k % 2][i] * along[k % 2][j];
                }
            }
        }
        now = 1 - now;
    }

#pragma unroll
    for (int i = 0; i < 8; i++) {
        int row = first_row + y + i % 4 + i / 4 * 64;
#pragma unroll
        for (int j = 0; j < 16; j += 4) {
            int col = first_col + x + j / 4 * 64;
            *(float4 *)(out + (long long)row * cols + col) =
                make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
        }
    }
}
