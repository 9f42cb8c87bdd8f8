// gemm: multiply two matrices on the tensor cores.
//
// a: (rows, inner), b: (inner, cols), both of __half; out: (rows, cols) of float.
// All row-major. rows and cols are multiples of TILE (128), inner of STEP (32).
// Blocks of THREADS threads, four warps; a block computes TILE × TILE elements of
// out.
//
// This kernel is right; but while it copies, nobody multiplies, and while it
// multiplies, nothing is copied. All that is below gemm may stay as it is.

#include <cuda_fp16.h>     // __half
#include <cuda_pipeline.h> // waiting for copies

#define THREADS 128
#define TILE 128 // rows and columns of out for a block
#define STEP 32  // of inner, copied at a time
#define PIECE 8  // elements in the 16 bytes that are copied at a time

// What a block multiplies in one step: 16 KiB of shared memory.
struct Tiles {
    __align__(16) __half a[TILE * STEP];
    __align__(16) __half b[STEP * TILE];
};

// What gemm calls. How they do it is below; you need not read it.

// Begins to copy the tiles of one step by cp.async, and does not wait. a and b
// lead to the first element of each.
__device__ void fetch(Tiles &to, const __half *a, const __half *b, int inner, int cols);

// Multiplies the tiles of one step on the tensor cores. A warp has 64×64 sums.
__device__ void multiply(float (&sum)[4][8][4], const Tiles &tiles);

// Writes the sums of all warps. out leads to the block's first element.
__device__ void store(const float (&sum)[4][8][4], float *out, int cols);

extern "C" __global__ __launch_bounds__(THREADS, 2) void
gemm(const __half *a, const __half *b, float *out, int rows, int inner, int cols) {
    __shared__ Tiles tiles; // of one step
    a += (long long)blockIdx.y * TILE * inner;
    b += blockIdx.x * TILE;
    out += (long long)blockIdx.y * TILE * cols + blockIdx.x * TILE;

    float sum[4][8][4] = {};
    for (int start = 0; start < inner; start += STEP) {
        fetch(tiles, a + start, b + (long long)start * cols, inner, cols);
        __pipeline_commit();
        __pipeline_wait_prior(0); // what this thread copied has arrived
        __syncthreads();          // what all threads copied has arrived
        multiply(sum, tiles);
        __syncthreads(); // nobody reads the tiles any more
    }
    store(sum, out, cols);
}

// ---- How they do it ----

// Where a piece of a row lies in a tile. The pieces of a row change places with
// each other, differently from row to row: so eight rows that are read
// together have the same piece in eight different groups of banks.
__device__ int a_place(int row, int piece) {
    return row * STEP + (piece ^ row / 2 % 4) * PIECE;
}

__device__ int b_place(int row, int piece) {
    return row * TILE + (piece ^ row % 8) * PIECE;
}

// Begins to copy 16 bytes from global to shared memory, past the registers.
__device__ void copy(__half *to, const __half *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(from));
}

// Begins to copy the tiles of one step, and does not wait. a and b lead to the
// first element of each. A thread has four pieces of both.
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

// Multiplies the tiles of one step. Each of the four warps has 64×64 elements of
// out: four times 16 rows, eight times 8 columns.
__device__ void multiply(float (&sum)[4][8][4], const Tiles &tiles) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int first_row = warp / 2 * 64, first_col = warp % 2 * 64;
#pragma unroll
    for (int k = 0; k < STEP; k += 16) {
        // Eight loads …
        unsigned from_a[4][4], from_b[4][4];
        for (int y = 0; y < 4; y++) {
            int row = first_row + 16 * y + lane % 16, piece = k / PIECE + lane / 16;
            load(from_a[y], &tiles.a[a_place(row, piece)]);
        }
        for (int x = 0; x < 4; x++) {
            int row = k + lane % 16, piece = first_col / PIECE + 2 * x + lane / 16;
            load_transposed(from_b[x], &tiles.b[b_place(row, piece)]);
        }
        // … for 32 products.
        for (int y = 0; y < 4; y++) {
            for (int x = 0; x < 8; x++) {
                mma(sum[y][x], from_a[y], from_b[x / 2][x % 2 * 2], from_b[x / 2][x % 2 * 2 + 1]);
            }
        }
    }
}

// Writes the sums of all warps. out leads to the block's first element.
__device__ void store(const float (&sum)[4][8][4], float *out, int cols) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int first_row = warp / 2 * 64 + lane / 4, first_col = warp % 2 * 64 + lane % 4 * 2;
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 8; x++) {
            float *at = out + (long long)(first_row + 16 * y) * cols + first_col + 8 * x;
            // float2: two floats, stored at once.
            *(float2 *)at = make_float2(sum[y][x][0], sum[y][x][1]);
            at += (long long)8 * cols;
            *(float2 *)at = make_float2(sum[y][x][2], sum[y][x][3]);
        }
    }
}
