// attention: as in `flash-attention`, for all keys (not causal), by mma.
//
// q, k, v, out: (heads, n, HEAD) of __half, row-major. n is a multiple of 64.
// Blocks of THREADS threads, four warps, each with 16 queries; blockIdx.y is the
// head. Keys and values go through shared memory, KEYS at a time.
//
// This kernel is right, and its products are fast. But `soften` between them is slow.

#include <cuda_fp16.h>     // __half
#include <cuda_pipeline.h> // waiting for copies

#define THREADS 128
#define HEAD 64
#define KEYS 64
#define PIECE 8 // elements in the 16 bytes that are copied at a time
#define ALL_LANES 0xffffffffu
#define LOWEST -3.0e38f // below every score
#define SCALE 0.18033688f // log2(e) / sqrt(HEAD): exp(x / 8) is 2 to the power of SCALE * x

// Keys and values of one step.
struct Tiles {
    __align__(128) __half k[KEYS * HEAD];
    __align__(128) __half v[KEYS * HEAD];
};

// Where a piece of a row is in a tile: see `tensor-core-ladder`.
__device__ int place(int row, int piece) {
    return row * HEAD + (piece ^ row % 8) * PIECE;
}

// Starts copying 16 bytes from global to shared memory, bypassing the registers.
__device__ void copy(__half *to, const __half *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(from));
}

// Starts copying the tiles of one step. k, v: their first key, their first value.
__device__ void fetch(Tiles &to, const __half *k, const __half *v) {
    for (int i = 0; i < 4; i++) {
        int row = 16 * i + threadIdx.x / 8, piece = threadIdx.x % 8;
        copy(&to.k[place(row, piece)], k + row * HEAD + piece * PIECE);
        copy(&to.v[place(row, piece)], v + row * HEAD + piece * PIECE);
    }
}

// Four 8×8 matrices from shared memory into the registers of the warp; lane l
// says where row l % 8 of matrix l / 8 begins.
__device__ void load(unsigned (&to)[4], const __half *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row)));
}

// The same, each matrix transposed.
__device__ void load_transposed(unsigned (&to)[4], const __half *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row)));
}

// sum (16×8) += a (16×16) × b (16×8), on the tensor cores.
__device__ void mma(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Two numbers as __half in one register, as mma takes them: x first.
__device__ unsigned pack(float x, float y) {
    __half2 both = __floats2half2_rn(x, y);
    return *(unsigned *)&both;
}

// 2 to the power of x: one instruction, right to about one part in four million.
__device__ float power_of_two(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// score (16×KEYS) = the warp's queries × keys transposed, in eight pieces of 8 keys.
__device__ void scores(float (&score)[8][4], const unsigned (&query)[4][4], const Tiles &tiles) {
    int lane = threadIdx.x % 32;
    for (int c = 0; c < 4; c++) {
        for (int j = 0; j < 4; j++) {
            unsigned key[4];
            load(key, &tiles.k[place(16 * j + lane % 8 + lane / 16 * 8, 2 * c + lane / 8 % 2)]);
            mma(score[2 * j], query[c], key[0], key[1]);
            mma(score[2 * j + 1], query[c], key[2], key[3]);
        }
    }
}

// mix (16×HEAD) += weight (16×KEYS, in four pieces of 16 keys) × values.
__device__ void add_values(float (&mix)[8][4], const unsigned (&weight)[4][4], const Tiles &tiles) {
    int lane = threadIdx.x % 32;
    for (int j = 0; j < 4; j++) {
        for (int x = 0; x < 4; x++) {
            unsigned value[4];
            load_transposed(value, &tiles.v[place(16 * j + lane % 16, 2 * x + lane / 16)]);
            mma(mix[2 * x], weight[j], value[0], value[1]);
            mma(mix[2 * x + 1], weight[j], value[2], value[3]);
        }
    }
}

// Turns the scores of KEYS more keys into weights. Of row lane / 4 + 8 * r, the lane
// has score[j][2 * r] and score[j][2 * r + 1], for keys 8 * j + lane % 4 * 2 and the
// next; of mix it has the same places. top and sum belong to its two rows.
//
// This is right, but takes all scores through shared memory, and there each lane
// reads its two rows as a whole.
__device__ void soften(float (&score)[8][4], unsigned (&weight)[4][4], float (&top)[2],
                       float (&sum)[2], float (&mix)[8][4]) {
    __shared__ float room[THREADS / 32][8][KEYS + 1]; // eight rows for each warp
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int r = 0; r < 2; r++) {
        float *row = room[warp][lane / 4];
        for (int j = 0; j < 8; j++) {
            row[8 * j + lane % 4 * 2] = score[j][2 * r];
            row[8 * j + lane % 4 * 2 + 1] = score[j][2 * r + 1];
        }
        __syncwarp();

        float before = top[r];
        for (int key = 0; key < KEYS; key++) {
            top[r] = fmaxf(top[r], row[key]);
        }
        float part = 0;
        for (int key = 0; key < KEYS; key++) {
            part += power_of_two(row[key] * SCALE - top[r] * SCALE);
        }

        // weight[p] is for keys 16 * p to 16 * p + 15. In weight[p][r] the lane has two
        // of the first eight, in weight[p][2 + r] two of the others.
        for (int p = 0; p < 4; p++) {
            for (int side = 0; side < 2; side++) {
                float *two = row + 16 * p + 8 * side + lane % 4 * 2;
                weight[p][2 * side + r] = pack(power_of_two(two[0] * SCALE - top[r] * SCALE),
                                               power_of_two(two[1] * SCALE - top[r] * SCALE));
            }
        }
        __syncwarp();

        float factor = power_of_two((before - top[r]) * SCALE);
        sum[r] = sum[r] * factor + part;
        for (int x = 0; x < 8; x++) {
            mix[x][2 * r] *= factor;
            mix[x][2 * r + 1] *= factor;
        }
    }
}

extern "C" __global__ __launch_bounds__(THREADS) void
attention(const __half *q, const __half *k, const __half *v, __half *out, int n) {
    extern __shared__ Tiles tiles[]; // room for two steps
    // A lane has two rows of everything that belongs to its warp's 16 queries, and
    // the same two columns of each piece.
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    long long head = (long long)blockIdx.y * n * HEAD;
    int row = blockIdx.x * 64 + warp * 16 + lane / 4, col = lane % 4 * 2;
    q += head + row * HEAD + col;
    out += head + row * HEAD + col;
    k += head;
    v += head;

    fetch(tiles[0], k, v);
    __pipeline_commit();
    unsigned query[4][4];
    for (int c = 0; c < 4; c++) {
        for (int i = 0; i < 4; i++) {
            query[c][i] = *(const unsigned *)(q + i % 2 * 8 * HEAD + 16 * c + i / 2 * 8);
        }
    }

    float top[2] = {LOWEST, LOWEST}, sum[2] = {}, mix[8][4] = {};
    for (int step = 0; step < n / KEYS; step++) {
        // This step's tiles have arrived, and the other room is free: start the next
        // step's copies.
        __pipeline_wait_prior(0);
        __syncthreads();
        if (step + 1 < n / KEYS) {
            int next = (step + 1) * KEYS * HEAD;
            fetch(tiles[(step + 1) % 2], k + next, v + next);
        }
        __pipeline_commit();

        float score[8][4] = {};
        unsigned weight[4][4];
        scores(score, query, tiles[step % 2]);
        soften(score, weight, top, sum, mix);
        add_values(mix, weight, tiles[step % 2]);
    }

    for (int r = 0; r < 2; r++) {
        for (int x = 0; x < 8; x++) {
            *(unsigned *)(out + 8 * r * HEAD + 8 * x) =
                pack(mix[x][2 * r] / sum[r], mix[x][2 * r + 1] / sum[r]);
        }
    }
}
