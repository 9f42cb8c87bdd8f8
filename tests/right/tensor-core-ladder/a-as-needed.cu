// The pieces of a are loaded right before their products, one row of tiles at a time.
#include <cuda_fp16.h>     // __half
#include <cuda_pipeline.h> // waiting for copies

#define THREADS 128
#define TILE 128 // rows and columns of out for a block
#define STEP 32  // of inner, copied at a time
#define PIECE 8  // elements in the 16 bytes that are copied at a time

struct Tiles {
    __align__(16) __half a[TILE * STEP];
    __align__(16) __half b[STEP * TILE];
};

__device__ void fetch(Tiles &to, const __half *a, const __half *b, int inner, int cols);

__device__ void multiply(float (&sum)[4][8][4], const Tiles &tiles);

__device__ void store(const float (&sum)[4][8][4], float *out, int cols);

extern "C" __global__ __launch_bounds__(THREADS, 2) void
gemm(const __half *a, const __half *b, float *out, int rows, int inner, int cols) {
    __shared__ Tiles tiles[3];
    a += (long long)blockIdx.y * TILE * inner;
    b += blockIdx.x * TILE;
    out += (long long)blockIdx.y * TILE * cols + blockIdx.x * TILE;

    float sum[4][8][4] = {};
    fetch(tiles[0], a, b, inner, cols);
    __pipeline_commit();
    if (STEP < inner) {
        fetch(tiles[1], a + STEP, b + (long long)STEP * cols, inner, cols);
    }
    __pipeline_commit();
    int buffer = 0; // of this step
    for (int start = 0; start < inner; start += STEP) {
        __pipeline_wait_prior(1);
        __syncthreads();

        int next = start + 2 * STEP;
        if (next < inner) {
            fetch(tiles[(buffer + 2) % 3], a + next, b + (long long)next * cols, inner, cols);
        }
        __pipeline_commit();

        multiply(sum, tiles[buffer]);
        buffer = (buffer + 1) % 3;
    }
    store(sum, out, cols);
}

__device__ int a_place(int row, int piece) {
    return row * STEP + (piece ^ row / 2 % 4) * PIECE;
}

__device__ int b_place(int row, int piece) {
    return row * TILE + (piece ^ row % 8) * PIECE;
}

__device__ void copy(__half *to, const __half *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(from));
}

__device__ void fetch(Tiles &to, const __half *a, const __half *b, int inner, int cols) {
    int t = threadIdx.x;
    for (int i = 0; i < 4; i++) {
        int row = 32 * i + t / 4, piece = t % 4;
        copy(&to.a[a_place(row, piece)], a + (long long)row * inner + piece * PIECE);
    }
    for (int i = 0; i < 4; i++) {
        int row = 8 * i + t / 16, piece = t % 16;
        copy(&to.b[b_place(row, piece)], b + (long long)row * cols + piece * PIECE);
    }
}

__device__ void load(unsigned (&to)[4], const __half *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row)));
}

__device__ void load_transposed(unsigned (&to)[4], const __half *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row)));
}

__device__ void mma(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ void multiply(float (&sum)[4][8][4], const Tiles &tiles) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int first_row = warp / 2 * 64, first_col = warp % 2 * 64;
#pragma unroll
    for (int k = 0; k < STEP; k += 16) {
        unsigned from_a[4], from_b[4][4];
        for (int x = 0; x < 4; x++) {
            int row = k + lane % 16, piece = first_col / PIECE + 2 * x + lane / 16;
            load_transposed(from_b[x], &tiles.b[b_place(row, piece)]);
        }
        for (int y = 0; y < 4; y++) {
            int row = first_row + 16 * y + lane % 16, piece = k / PIECE + lane / 16;
            load(from_a, &tiles.a[a_place(row, piece)]);
            for (int x = 7; x >= 0; x--) {
                mma(sum[y][x], from_a, from_b[x / 2][x % 2 * 2], from_b[x / 2][x % 2 * 2 + 1]);
            }
        }
    }
}

__device__ void store(const float (&sum)[4][8][4], float *out, int cols) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int first_row = warp / 2 * 64 + lane / 4, first_col = warp % 2 * 64 + lane % 4 * 2;
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 8; x++) {
            float *at = out + (long long)(first_row + 16 * y) * cols + first_col + 8 * x;
            *(float2 *)at = make_float2(sum[y][x][0], sum[y][x][1]);
            at += (long long)8 * cols;
            *(float2 *)at = make_float2(sum[y][x][2], sum[y][x][3]);
        }
    }
}
