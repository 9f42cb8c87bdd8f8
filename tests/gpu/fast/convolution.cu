// convolution_wgmma: a 3×3 convolution with padding 1 on a Hopper GPU (sm_90a), channels last.
//
// in: (images, height, width, channels), weights: (features, 3, 3, channels), out: (images, height, width, features),
// all of __half. channels is a multiple of 64, features of FEATURES; no array has 2^31 elements or more.
// Blocks of 2 × PIXELS threads, of which SPLIT make a cluster along x: (SPLIT × ceil(all pixels / PIXELS), features /
// FEATURES) blocks. Dynamic shared memory: Convolution::SHARED bytes.
//
// The lesson's kernel (conv-tensor-cores) with wgmma in place of mma.sync. `place` is the order in which wgmma wants
// its tiles, so the copies stay as they are. And where there are few pixels, the blocks of a cluster share the depth
// of one tile, each multiplies a part, and they add up their sums through each other's shared memory.

#include "hopper.h"
#include <cooperative_groups.h>

// A warpgroup for each 64 pixels.
template <int PIXELS, int FEATURES, int STAGES, int SPLIT> struct Convolution {
    static const int THREADS = 2 * PIXELS;
    static const int STAGE = (PIXELS + FEATURES) * 128; // bytes: 64 of the depth
    static const int LINE = FEATURES + 8;               // floats of a row of sums
    static const int SUMS = SPLIT > 1 ? PIXELS * LINE * 4 : 0;
    static const int SHARED = STAGES * STAGE > SUMS ? STAGES * STAGE : SUMS;
    static const int BLOCKS = 227 * 1024 / (SHARED + 1024); // of a multiprocessor
};

template <int PIXELS, int FEATURES, int STAGES, int SPLIT>
__global__ __launch_bounds__(2 * PIXELS, Convolution<PIXELS, FEATURES, STAGES, SPLIT>::BLOCKS) void
convolution_wgmma(const __half *__restrict__ in, const __half *__restrict__ weights, __half *__restrict__ out,
                  int images, int height, int width, int channels, int features) {
    typedef Convolution<PIXELS, FEATURES, STAGES, SPLIT> Is;
    constexpr int AT_ONCE = Is::THREADS / 8; // rows of a tile that the block's threads copy at a time
    constexpr int AHEAD = STAGES - 2;        // steps; one stage is multiplied from, one perhaps still
    extern __shared__ __align__(1024) unsigned char copies[];
    const unsigned base = in_shared(copies);
    const int t = threadIdx.x, warp = t / 32, lane = t % 32, piece = t % 8;
    const int rank = SPLIT > 1 ? blockIdx.x % SPLIT : 0;
    const int first_pixel = blockIdx.x / SPLIT * PIXELS, first_feature = blockIdx.y * FEATURES;
    const int pixels = images * height * width;

    // The windows of which this thread copies a piece: where each begins, and which of its places are in the image.
    int first[PIXELS / AT_ONCE];
    unsigned inside[PIXELS / AT_ONCE];
#pragma unroll
    for (int i = 0; i < PIXELS / AT_ONCE; i++) {
        int pixel = first_pixel + i * AT_ONCE + t / 8, row = pixel / width % height, col = pixel % width;
        first[i] = (pixel - width - 1) * channels;
        inside[i] = 0;
        if (pixel < pixels) {
#pragma unroll
            for (int p = 0; p < 9; p++) {
                int y = row + p / 3 - 1, x = col + p % 3 - 1;
                inside[i] |= (unsigned)(y >= 0 && y < height && x >= 0 && x < width) << p;
            }
        }
    }

    // This block's part of the depth, and what is copied next: place p of the windows, from channel c.
    const int all = 9 * channels / 64, from = all * rank / SPLIT, steps = all * (rank + 1) / SPLIT - from;
    int p = from * 64 / channels, c = from * 64 % channels;
    const __half *weight = weights + (long long)(first_feature + t / 8) * 9 * channels + from * 64 + piece * 8;
    const unsigned place = t / 8 * 128 + (piece ^ (t / 8 & 7)) * 16;
    auto fetch = [&](int stage) {
        unsigned to = base + stage * Is::STAGE + place;
        int skip = (p / 3 * width + p % 3) * channels + c + piece * 8;
#pragma unroll
        for (int i = 0; i < PIXELS / AT_ONCE; i++) {
            bool is = inside[i] >> p & 1;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to + i * AT_ONCE * 128),
                         "l"(is ? in + first[i] + skip : weights), "r"(is ? 16 : 0));
        }
#pragma unroll
        for (int i = 0; i < FEATURES / AT_ONCE; i++) {
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + PIXELS * 128 + i * AT_ONCE * 128),
                         "l"(weight + (long long)i * AT_ONCE * 9 * channels));
        }
        weight += 64;
        c += 64;
        if (c == channels) {
            c = 0;
            p++;
        }
    };

    for (int s = 0; s < AHEAD; s++) {
        if (s < steps) {
            fetch(s % STAGES);
        }
        asm volatile("cp.async.commit_group;");
    }
    float sum[FEATURES / 2];
#pragma unroll
    for (int j = 0; j < FEATURES / 2; j++) {
        sum[j] = 0;
    }
    int now = 0, next = AHEAD;
    for (int s = 0; s < steps; s++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(AHEAD - 1) : "memory");
        show_to_tensor_cores();
        __syncthreads();
        const unsigned a = base + now * Is::STAGE + warp / 4 * 64 * 128, b = base + now * Is::STAGE + PIXELS * 128;
        before_products();
#pragma unroll
        for (int k = 0; k < 4; k++) {
            multiply<FEATURES, 0>(sum, matrix(a + k * 32), matrix(b + k * 32));
        }
        group_of_products();
        if (s + AHEAD < steps) {
            fetch(next);
        }
        asm volatile("cp.async.commit_group;");
        wait_for_products<1>();
        now = now + 1 == STAGES ? 0 : now + 1;
        next = next + 1 == STAGES ? 0 : next + 1;
    }
    wait_for_products<0>();

    // A lane has two rows of its warp's 16, and of each 8 features two.
    const int my_row = warp / 4 * 64 + warp % 4 * 16 + lane / 4, my_col = lane % 4 * 2;
    if constexpr (SPLIT == 1) {
#pragma unroll
        for (int r = 0; r < 2; r++) {
            int pixel = first_pixel + my_row + 8 * r;
            if (pixel < pixels) {
                __half *to = out + (long long)pixel * features + first_feature + my_col;
#pragma unroll
                for (int j = 0; j < FEATURES / 8; j++) {
                    *(__half2 *)(to + 8 * j) = __floats2half2_rn(sum[4 * j + 2 * r], sum[4 * j + 2 * r + 1]);
                }
            }
        }
    } else {
        float *mine = (float *)copies;
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 2; r++) {
#pragma unroll
            for (int j = 0; j < FEATURES / 8; j++) {
                *(float2 *)&mine[(my_row + 8 * r) * Is::LINE + 8 * j + my_col] =
                    make_float2(sum[4 * j + 2 * r], sum[4 * j + 2 * r + 1]);
            }
        }
        cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
        cluster.sync();
        const float *part[SPLIT];
#pragma unroll
        for (int i = 0; i < SPLIT; i++) {
            part[i] = cluster.map_shared_rank(mine, i);
        }
        // Each block adds up and writes its share of the tile.
        for (int i = t + rank * Is::THREADS; i < PIXELS * FEATURES / 4; i += SPLIT * Is::THREADS) {
            int row = i / (FEATURES / 4), col = i % (FEATURES / 4) * 4, pixel = first_pixel + row;
            float4 all = make_float4(0, 0, 0, 0);
#pragma unroll
            for (int j = 0; j < SPLIT; j++) {
                float4 more = *(const float4 *)&part[j][row * Is::LINE + col];
                all.x += more.x;
                all.y += more.y;
                all.z += more.z;
                all.w += more.w;
            }
            if (pixel < pixels) {
                __half2 low = __floats2half2_rn(all.x, all.y), high = __floats2half2_rn(all.z, all.w);
                *(uint2 *)(out + (long long)pixel * features + first_feature + col) =
                    make_uint2(*(unsigned *)&low, *(unsigned *)&high);
            }
        }
        cluster.sync(); // nobody leaves while others read from it
    }
}
