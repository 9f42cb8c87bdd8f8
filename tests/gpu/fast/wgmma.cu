// gemm_wgmma: out = a × b on a Hopper GPU (sm_90a).
//
// a: (rows, inner), b: (inner, cols), both of __half, by tensor maps with boxes of 128×64 and 64×64; out:
// (rows, cols) of float; row-major. rows is a multiple of 128, cols of 256, inner of 64.
// As many blocks of 384 threads as there are multiprocessors. Dynamic shared memory: WGMMA_SHARED bytes.
//
// The lesson's kernel (warpgroup-gemm), and what it says of the rest of the way: one thread has whole tiles copied;
// its warpgroup does nothing else, and two multiply. Blocks stay and go from tile of out to tile of out, so the copies
// of the next begin while the last is written.

#include "hopper.h"

#define WGMMA_ROWS 128 // of out for a tile
#define WGMMA_COLS 256
#define WGMMA_STEP 64
#define WGMMA_STAGES 4
#define WGMMA_GROUP 16 // rows of tiles that are done together, so that b stays in L2
#define WGMMA_A (WGMMA_ROWS * WGMMA_STEP * 2) // bytes: two panels, one below the other
#define WGMMA_PANEL (WGMMA_STEP * 128)        // of b: four, side by side
#define WGMMA_STAGE (WGMMA_A + 4 * WGMMA_PANEL)
#define WGMMA_SHARED (WGMMA_STAGES * WGMMA_STAGE)

extern "C" __global__ __launch_bounds__(384, 1) void
gemm_wgmma(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *__restrict__ out,
           int rows, int inner, int cols) {
    extern __shared__ __align__(1024) unsigned char room[];
    __shared__ __align__(8) unsigned long long barriers[2 * WGMMA_STAGES];
    const unsigned base = in_shared(room);
    const unsigned full = in_shared(barriers), free = full + 8 * WGMMA_STAGES; // of each stage
    const int t = threadIdx.x, warpgroup = t / 128, steps = inner / WGMMA_STEP;
    const int tall = rows / WGMMA_ROWS, wide = cols / WGMMA_COLS, tiles = tall * wide;
    if (t == 0) {
        for (int i = 0; i < WGMMA_STAGES; i++) {
            make_barrier(full + 8 * i, 1);
            make_barrier(free + 8 * i, 8); // the warps that multiply
        }
        show_to_tensor_cores();
    }
    __syncthreads();

    // Where a tile lies: down a group of rows first, then on to the next column.
    auto find = [&](int tile, int &row, int &col) {
        int group = tile / (WGMMA_GROUP * wide), rest = tile % (WGMMA_GROUP * wide);
        int height = min(WGMMA_GROUP, tall - group * WGMMA_GROUP);
        row = (group * WGMMA_GROUP + rest % height) * WGMMA_ROWS;
        col = rest / height * WGMMA_COLS;
    };

    int stage = 0, phase = 0; // all take the stages in turn
    if (warpgroup == 0) {
        fewer_registers<40>();
        if (t == 0) {
            for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
                int row, col;
                find(tile, row, col);
                for (int s = 0; s < steps; s++) {
                    wait(free + 8 * stage, phase ^ 1);
                    const unsigned to = base + stage * WGMMA_STAGE, barrier = full + 8 * stage;
                    arrive_and_expect(barrier, WGMMA_STAGE);
                    copy_box(to, &a, row, s * WGMMA_STEP, barrier);
#pragma unroll
                    for (int x = 0; x < 4; x++) {
                        copy_box(to + WGMMA_A + x * WGMMA_PANEL, &b, s * WGMMA_STEP, col + 64 * x, barrier);
                    }
                    if (++stage == WGMMA_STAGES) {
                        stage = 0;
                        phase ^= 1;
                    }
                }
            }
        }
    } else {
        more_registers<232>();
        const int lane = t % 32, warp = t / 32 % 4, half = warpgroup - 1; // 64 of the tile's rows
        auto give_back = [&](int used) {
            if (lane == 0) {
                arrive(free + 8 * used);
            }
        };
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            int row, col;
            find(tile, row, col);
            float sum[128];
            for (int s = 0; s < steps; s++) {
                const unsigned from_a = base + stage * WGMMA_STAGE + half * 8192;
                const unsigned from_b = base + stage * WGMMA_STAGE + WGMMA_A;
                wait(full + 8 * stage, phase);
                before_products();
#pragma unroll
                for (int k = 0; k < WGMMA_STEP / 16; k++) {
                    multiply<256, 1>(sum, matrix(from_a + k * 32), matrix(from_b + k * 2048, WGMMA_PANEL), s > 0 || k > 0);
                }
                group_of_products();
                // The step before is over: its stage is free.
                wait_for_products<1>();
                if (s > 0) {
                    give_back(stage == 0 ? WGMMA_STAGES - 1 : stage - 1);
                }
                if (++stage == WGMMA_STAGES) {
                    stage = 0;
                    phase ^= 1;
                }
            }
            wait_for_products<0>();
            give_back(stage == 0 ? WGMMA_STAGES - 1 : stage - 1);

            float *to = out + (size_t)(row + half * 64 + warp * 16 + lane / 4) * cols + col + lane % 4 * 2;
#pragma unroll
            for (int j = 0; j < 32; j++) {
                *(float2 *)(to + 8 * j) = make_float2(sum[4 * j], sum[4 * j + 1]);
                *(float2 *)(to + 8 * j + 8ll * cols) = make_float2(sum[4 * j + 2], sum[4 * j + 3]);
            }
        }
    }
}
