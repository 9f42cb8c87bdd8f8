// attention_wgmma: softmax(q × kᵀ / sqrt(128)) × v on a Hopper GPU (sm_90a), not causal.
//
// q, k, v, out: (heads, n, 128) of __half, row-major; q, k, v by tensor maps of (heads × n, 128), with boxes of 64×64
// (q) and 128×64. n is a multiple of 128. scale: log2(e) / sqrt(128).
// Blocks of 384 threads for 128 queries; blockIdx.y is the head. Dynamic shared memory: ATTENTION_SHARED bytes.
//
// The lesson's kernel (flash-attention-mma) with wgmma, as FlashAttention-3 has it: one thread has keys and values
// copied, two warpgroups have 64 queries each. The scores of the next 128 keys are multiplied while the values of the
// last are added up, and these are added up while the next scores become weights.

#include "hopper.h"

#define ATTENTION_KEYS 128 // of a step
#define ATTENTION_STAGES 2
#define ATTENTION_QUERIES (64 * 128)          // bytes of a panel of 64 queries; two side by side
#define ATTENTION_PANEL (ATTENTION_KEYS * 128) // of keys or values; likewise
#define ATTENTION_SHARED (4 * ATTENTION_QUERIES + ATTENTION_STAGES * 4 * ATTENTION_PANEL)

__device__ __forceinline__ unsigned two_halves(float x, float y) {
    __half2 both = __floats2half2_rn(x, y);
    return *(unsigned *)&both;
}

__device__ __forceinline__ float power_of_two(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

extern "C" __global__ __launch_bounds__(384, 1) void
attention_wgmma(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
                const __grid_constant__ CUtensorMap v, __half *__restrict__ out, int n, float scale) {
    extern __shared__ __align__(1024) unsigned char room[];
    __shared__ __align__(8) unsigned long long barriers[1 + 4 * ATTENTION_STAGES];
    const unsigned base = in_shared(room), k_room = base + 4 * ATTENTION_QUERIES;
    const unsigned v_room = k_room + ATTENTION_STAGES * 2 * ATTENTION_PANEL;
    const unsigned q_full = in_shared(barriers), k_full = q_full + 8, k_free = k_full + 8 * ATTENTION_STAGES;
    const unsigned v_full = k_free + 8 * ATTENTION_STAGES, v_free = v_full + 8 * ATTENTION_STAGES;
    const int t = threadIdx.x, warpgroup = t / 128, steps = n / ATTENTION_KEYS;
    const int first = blockIdx.x * 128, head = blockIdx.y * n; // rows of the maps
    if (t == 0) {
        make_barrier(q_full, 1);
        for (int i = 0; i < ATTENTION_STAGES; i++) {
            make_barrier(k_full + 8 * i, 1);
            make_barrier(v_full + 8 * i, 1);
            make_barrier(k_free + 8 * i, 8); // the warps that multiply
            make_barrier(v_free + 8 * i, 8);
        }
        show_to_tensor_cores();
    }
    __syncthreads();

    if (warpgroup == 0) {
        fewer_registers<24>();
        if (t == 0) {
            arrive_and_expect(q_full, 4 * ATTENTION_QUERIES);
            for (int i = 0; i < 4; i++) {
                copy_box(base + i * ATTENTION_QUERIES, &q, head + first + i / 2 * 64, 64 * (i % 2), q_full);
            }
            auto fetch = [&](const CUtensorMap *map, int s, unsigned to, unsigned full, unsigned free) {
                const int stage = s % ATTENTION_STAGES, phase = s / ATTENTION_STAGES % 2;
                if (s >= ATTENTION_STAGES) {
                    wait(free + 8 * stage, phase ^ 1);
                }
                arrive_and_expect(full + 8 * stage, 2 * ATTENTION_PANEL);
                for (int x = 0; x < 2; x++) {
                    copy_box(to + (2 * stage + x) * ATTENTION_PANEL, map, head + s * ATTENTION_KEYS, 64 * x, full + 8 * stage);
                }
            };
            for (int s = 0; s < steps; s++) {
                fetch(&k, s, k_room, k_full, k_free);
                fetch(&v, s, v_room, v_full, v_free);
            }
        }
    } else {
        more_registers<240>();
        const int lane = t % 32, warp = t / 32 % 4, mine = warpgroup - 1;
        const unsigned queries = base + mine * 2 * ATTENTION_QUERIES;
        // As in the lesson a lane has two rows of all, lane / 4 and 8 more, and of each 8 columns the same two.
        float mix[64], top[2] = {-3.0e38f, -3.0e38f}, sum[2] = {0, 0}, factor[2];
#pragma unroll
        for (int i = 0; i < 64; i++) {
            mix[i] = 0;
        }

        // Begins score (64×KEYS) = queries × keys transposed.
        auto scores = [&](float (&score)[64], int s) {
            const int stage = s % ATTENTION_STAGES;
            const unsigned keys = k_room + stage * 2 * ATTENTION_PANEL;
            wait(k_full + 8 * stage, s / ATTENTION_STAGES % 2);
            before_products();
#pragma unroll
            for (int c = 0; c < 8; c++) { // 16 columns of the heads, 32 bytes of a panel's rows
                multiply<128, 0>(score, matrix(queries + c / 4 * ATTENTION_QUERIES + c % 4 * 32),
                                 matrix(keys + c / 4 * ATTENTION_PANEL + c % 4 * 32), c > 0);
            }
            group_of_products();
        };
        // Begins mix (64×128) += weights × values.
        auto add_values = [&](const unsigned (&weight)[8][4], int s) {
            const int stage = s % ATTENTION_STAGES;
            const unsigned values = v_room + stage * 2 * ATTENTION_PANEL;
            wait(v_full + 8 * stage, s / ATTENTION_STAGES % 2);
            before_products();
#pragma unroll
            for (int j = 0; j < 8; j++) { // 16 keys
                multiply_registers(mix, weight[j], matrix(values + j * 2048, ATTENTION_PANEL));
            }
            group_of_products();
        };
        // From scores to weights, in place. `factor` is by how much what came before has to shrink.
        auto soften = [&](float (&score)[64]) {
#pragma unroll
            for (int r = 0; r < 2; r++) {
                float before = top[r], now = before;
#pragma unroll
                for (int j = 0; j < 16; j++) {
                    now = fmaxf(now, fmaxf(score[4 * j + 2 * r], score[4 * j + 2 * r + 1]));
                }
                now = fmaxf(now, __shfl_xor_sync(0xffffffffu, now, 1));
                now = fmaxf(now, __shfl_xor_sync(0xffffffffu, now, 2));
                float part = 0, shift = now * scale;
#pragma unroll
                for (int j = 0; j < 16; j++) {
                    float x = power_of_two(score[4 * j + 2 * r] * scale - shift);
                    float y = power_of_two(score[4 * j + 2 * r + 1] * scale - shift);
                    part += x + y;
                    score[4 * j + 2 * r] = x;
                    score[4 * j + 2 * r + 1] = y;
                }
                factor[r] = power_of_two(before * scale - shift);
                sum[r] = sum[r] * factor[r] + part; // of this lane's columns; the row's lanes come together at the end
                top[r] = now;
            }
        };
        // As the second product takes them. Not while products still read the last ones.
        auto pack = [&](const float (&score)[64], unsigned (&weight)[8][4]) {
#pragma unroll
            for (int j = 0; j < 16; j++) {
#pragma unroll
                for (int r = 0; r < 2; r++) {
                    weight[j / 2][j % 2 * 2 + r] = two_halves(score[4 * j + 2 * r], score[4 * j + 2 * r + 1]);
                }
            }
        };
        auto give_back = [&](unsigned free, int s) {
            if (lane == 0) {
                arrive(free + 8 * (s % ATTENTION_STAGES));
            }
        };

        wait(q_full, 0);
        unsigned weight[8][4];
        {
            float score[64];
            scores(score, 0);
            wait_for_products<0>();
            give_back(k_free, 0);
            soften(score);
            pack(score, weight);
        }
#pragma unroll 1
        for (int s = 1; s < steps; s++) {
            float score[64];
            scores(score, s);
            add_values(weight, s - 1);
            wait_for_products<1>(); // the scores
            give_back(k_free, s);
            soften(score);
            wait_for_products<0>(); // the values
            give_back(v_free, s - 1);
            pack(score, weight);
#pragma unroll
            for (int x = 0; x < 16; x++) {
                mix[4 * x] *= factor[0];
                mix[4 * x + 1] *= factor[0];
                mix[4 * x + 2] *= factor[1];
                mix[4 * x + 3] *= factor[1];
            }
        }
        add_values(weight, steps - 1);
        wait_for_products<0>();

#pragma unroll
        for (int r = 0; r < 2; r++) {
            float all = sum[r];
            all += __shfl_xor_sync(0xffffffffu, all, 1);
            all += __shfl_xor_sync(0xffffffffu, all, 2);
            all = 1 / all;
            __half *to = out + (long long)(head + first + mine * 64 + warp * 16 + lane / 4 + 8 * r) * 128 + lane % 4 * 2;
#pragma unroll
            for (int x = 0; x < 16; x++) {
                *(unsigned *)(to + 8 * x) = two_halves(mix[4 * x + 2 * r] * all, mix[4 * x + 2 * r + 1] * all);
            }
        }
    }
}
