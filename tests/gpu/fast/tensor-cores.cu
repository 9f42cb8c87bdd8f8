// gemm_tensor_cores: out = a × b on the tensor cores, for large matrices.
//
// a: (rows, inner), b: (inner, cols), both of __half; out: (rows, cols) of float; row-major.
// rows is a multiple of 256, cols of 128, inner of 64.
// Blocks of 256 threads, in one dimension: one for each 256×128 elements of out. Dynamic shared
// memory: GEMM_SHARED bytes.
//
// The lesson's kernel with the same reuse on one floor more: a warp keeps 64×64 sums in registers,
// eight warps share what they multiply through shared memory, and the steps to come are on their way
// (cp.async) while one is multiplied.

#include <cuda_fp16.h>

#define GEMM_ROWS 256 // of out for a block
#define GEMM_COLS 128
#define GEMM_STEP 64
#ifndef GEMM_STAGES
#define GEMM_STAGES 4
#endif
#define GEMM_GROUP 8 // rows of tiles that are done together, so that b stays in L2
#define GEMM_STAGE_HALVES ((GEMM_ROWS + GEMM_COLS) * GEMM_STEP)
#define GEMM_SHARED (GEMM_STAGES * GEMM_STAGE_HALVES * 2)

__device__ unsigned shared_address(const void *pointer) {
    return (unsigned)__cvta_generic_to_shared(pointer);
}

// 16 bytes from global to shared memory, without passing through registers.
__device__ void copy_16(__half *to, const __half *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}

// Four 8×8 matrices from shared memory; lane l gives the address of row l % 8 of matrix l / 8.
__device__ void load_4(unsigned (&to)[4], const __half *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row)));
}

// The same, each turned over.
__device__ void load_4_turned(unsigned (&to)[4], const __half *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row)));
}

// sum (16×8) += a (16×16) × b (16×8)
__device__ void multiply(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Where 16 bytes (a chunk) of a row lie in a tile. Eight rows that are read together have the same
// chunk at eight different places, so no two meet in a bank.
__device__ int place(int row, int chunk, int chunks) {
    return (row * chunks + (chunk ^ (row & 7))) * 8;
}

extern "C" __global__ __launch_bounds__(256, 1) void
gemm_tensor_cores(const __half *a, const __half *b, float *out, int rows, int inner, int cols) {
    extern __shared__ __align__(128) __half tiles[];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;

    // Which tile of out: down a group of rows first, then to the next column.
    const int tall = rows / GEMM_ROWS, wide = cols / GEMM_COLS;
    const int group = blockIdx.x / (GEMM_GROUP * wide), rest = blockIdx.x % (GEMM_GROUP * wide);
    const int height = min(GEMM_GROUP, tall - group * GEMM_GROUP);
    const int first_row = (group * GEMM_GROUP + rest % height) * GEMM_ROWS;
    const int first_col = rest / height * GEMM_COLS;

    auto fetch = [&](int stage, int start) {
        __half *a_tile = tiles + stage * GEMM_STAGE_HALVES;
        __half *b_tile = a_tile + GEMM_ROWS * GEMM_STEP;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            int row = (i * 256 + t) / 8, chunk = t % 8; // 256 rows of 8 chunks
            copy_16(a_tile + place(row, chunk, 8),
                    a + (size_t)(first_row + row) * inner + start + chunk * 8);
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int row = (i * 256 + t) / 16, chunk = t % 16; // 64 rows of 16 chunks
            copy_16(b_tile + place(row, chunk, 16),
                    b + (size_t)(start + row) * cols + first_col + chunk * 8);
        }
    };

    const int steps = inner / GEMM_STEP;
    for (int s = 0; s < GEMM_STAGES - 1; s++) {
        if (s < steps) {
            fetch(s, s * GEMM_STEP);
        }
        asm volatile("cp.async.commit_group;");
    }

    const int warp_row = warp / 2 * 64, warp_col = warp % 2 * 64;
    float sum[4][8][4] = {};
    for (int s = 0; s < steps; s++) {
        // This step has arrived, and everybody has finished the one before: its room is free.
        asm volatile("cp.async.wait_group %0;" ::"n"(GEMM_STAGES - 2));
        __syncthreads();
        int ahead = s + GEMM_STAGES - 1;
        if (ahead < steps) {
            fetch(ahead % GEMM_STAGES, ahead * GEMM_STEP);
        }
        asm volatile("cp.async.commit_group;");

        const __half *a_tile = tiles + s % GEMM_STAGES * GEMM_STAGE_HALVES;
        const __half *b_tile = a_tile + GEMM_ROWS * GEMM_STEP;
        // What the next 16 of the step need is loaded while these 16 are multiplied.
        unsigned from_a[2][4][4], from_b[2][4][4];
        auto load = [&](int k) {
            int into = k / 16 % 2;
#pragma unroll
            for (int i = 0; i < 4; i++) {
                int row = warp_row + i * 16 + lane % 16;
                load_4(from_a[into][i], a_tile + place(row, k / 8 + lane / 16, 8));
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                int row = k + lane % 16;
                load_4_turned(from_b[into][j],
                              b_tile + place(row, warp_col / 8 + j * 2 + lane / 16, 16));
            }
        };
        load(0);
#pragma unroll
        for (int k = 0; k < GEMM_STEP; k += 16) {
            if (k + 16 < GEMM_STEP) {
                load(k + 16);
            }
            const int from = k / 16 % 2;
#pragma unroll
            for (int i = 0; i < 4; i++) {
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    multiply(sum[i][j], from_a[from][i], from_b[from][j / 2][j % 2 * 2],
                             from_b[from][j / 2][j % 2 * 2 + 1]);
                }
            }
        }
    }

#pragma unroll
    for (int i = 0; i < 4; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++) {
            size_t row = first_row + warp_row + i * 16 + lane / 4;
            int col = first_col + warp_col + j * 8 + lane % 4 * 2;
            *(float2 *)(out + row * cols + col) = make_float2(sum[i][j][0], sum[i][j][1]);
            *(float2 *)(out + (row + 8) * cols + col) = make_float2(sum[i][j][2], sum[i][j][3]);
        }
    }
}
