// gemm: multiply two matrices on the tensor cores of a Hopper GPU.
//
// a: (rows, inner), b: (inner, cols), both of __half; out: (rows, cols) of float.
// All row-major. rows is a multiple of ROWS (128), cols of COLS (256), inner of STEP
// (64). Blocks of THREADS threads, two warpgroups; a block computes ROWS × COLS
// elements of out.
//
// This kernel is right; but between the products of two steps the tensor cores idle,
// and all threads wait twice. All that is below gemm may stay as it is.

#include <cuda_fp16.h>     // __half
#include <cuda_pipeline.h> // waiting for copies

#define THREADS 256
#define ROWS 128 // of out for a block: 64 for each of its two warpgroups
#define COLS 256
#define STEP 64 // of inner, copied at a time
#define PIECE 8 // elements in the 16 bytes that are copied at a time

// 64 rows of 64 elements, 128 bytes each. The tensor cores ask for it to begin at a
// multiple of 1024 bytes, and for the pieces of a row to change places: see `place`.
struct Panel {
    __align__(1024) __half at[64 * 64];
};

// What a block multiplies in one step: 128×64 of a and 64×256 of b.
struct Tiles {
    Panel a[2]; // one below the other, one for each warpgroup
    Panel b[4]; // side by side
};

// What gemm calls. How they do it is below; you need not read it.

// Begins to copy the tiles of one step, which begin at a and b, and does not wait.
// Leads a and b on to the next step.
__device__ void fetch(Tiles &to, const __half *&a, const __half *&b, int inner, int cols);

// The tensor cores reach shared memory on a way of their own. What the calling thread
// has copied there and waited for, they see after this.
__device__ void show_to_tensor_cores();

// Begins the products of one step, as a group, and does not wait.
__device__ void multiply(float (&sum)[128], const Tiles &tiles);

// Waits until at most `left` groups of products of this warpgroup are under way. Until
// a group is waited for, its tiles may not be written, nor its sums be read.
template <int left> __device__ void wait_for_products();

// Writes the sums of all threads. out leads to the block's first element.
__device__ void store(const float (&sum)[128], float *out, int cols);

extern "C" __global__ __launch_bounds__(THREADS, 1) void
gemm(const __half *a, const __half *b, float *out, int rows, int inner, int cols) {
    extern __shared__ Tiles tiles[]; // buffers for four steps
    a += (long long)blockIdx.y * ROWS * inner;
    b += blockIdx.x * COLS;
    out += (long long)blockIdx.y * ROWS * cols + blockIdx.x * COLS;

    int steps = inner / STEP;
    float sum[128] = {};

    // Begin the copies of the first two steps, each as a group of its own.
    for (int step = 0; step < 2; step++) {
        if (step < steps) {
            fetch(tiles[step], a, b, inner, cols);
        }
        __pipeline_commit();
    }
    for (int step = 0; step < steps; step++) {
        // All copies but those of the youngest group have arrived, so this step's have.
        // Each thread shows what it has copied; after the barrier, that is all of it.
        __pipeline_wait_prior(1);
        show_to_tensor_cores();
        __syncthreads();

        // The copies of the step after next begin. Past the end their group is empty.
        if (step + 2 < steps) {
            fetch(tiles[(step + 2) % 4], a, b, inner, cols);
        }
        __pipeline_commit();

        multiply(sum, tiles[step % 4]);
        wait_for_products<0>();
        __syncthreads(); // both warpgroups are through with the tiles
    }
    store(sum, out, cols);
}

// ---- How they do it ----

__device__ int place(int row, int piece) {
    return row * 64 + (piece ^ row % 8) * PIECE;
}

// Begins to copy 16 bytes from global to shared memory, past the registers.
__device__ void copy(__half *to, const __half *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(from));
}

// Begins to copy 64×64 elements of a matrix that has `width` columns. A thread has
// two pieces of them.
__device__ void fetch(Panel &to, const __half *from, int width) {
    int row = threadIdx.x / 8, piece = threadIdx.x % 8;
    from += (long long)row * width + piece * PIECE;
    copy(&to.at[place(row, piece)], from);
    copy(&to.at[place(row + 32, piece)], from + 32ll * width);
}

// Begins to copy the tiles of one step, which begin at a and b, and does not wait.
// Leads a and b on to the next step.
__device__ void fetch(Tiles &to, const __half *&a, const __half *&b, int inner, int cols) {
    for (int y = 0; y < 2; y++) {
        fetch(to.a[y], a + 64ll * y * inner, inner);
    }
    for (int x = 0; x < 4; x++) {
        fetch(to.b[x], b + 64 * x, cols);
    }
    a += STEP;
    b += (long long)STEP * cols;
}

// The tensor cores reach shared memory on a way of their own. What the calling thread
// has written there before this, or copied and waited for, they see after it.
__device__ void show_to_tensor_cores() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// What describes a matrix in shared memory to the tensor cores: where it begins, how far
// it is to the next panel (8192 bytes) and to the next eight rows (1024), these three
// divided by 16, and that pieces of rows of 128 bytes change places (1 << 62).
__device__ unsigned long long matrix(const __half *begin) {
    unsigned long long address = __cvta_generic_to_shared(begin);
    return address / 16 | 8192ull / 16 << 16 | 1024ull / 16 << 32 | 1ull << 62;
}

// Begins sum (64×256) += a (64×16) × b (16×256): one instruction of a whole warpgroup,
// which names the 128 sums that a thread holds.
#define FIVE(d, a, b, c, e, f) "%" #d #a ",%" #d #b ",%" #d #c ",%" #d #e ",%" #d #f ","
#define TEN(d) FIVE(d, 0, 1, 2, 3, 4) FIVE(d, 5, 6, 7, 8, 9)
#define FOUR(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)
__device__ void wgmma(float (&sum)[128], unsigned long long a, unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" // %0 to %127
                 TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9) TEN(10)
                 TEN(11) "%120,%121,%122,%123,%124,%125,%126,%127}, %128, %129, 1, 1, 1, 0, 1;"
                 : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48), SIXTEEN(64), SIXTEEN(80),
                   SIXTEEN(96), SIXTEEN(112)
                 : "l"(a), "l"(b));
}

// Begins the products of one step, as a group, and does not wait. Each warpgroup
// multiplies its panel of a by all of b.
__device__ void multiply(float (&sum)[128], const Tiles &tiles) {
    const Panel &mine = tiles.a[threadIdx.x / 128];
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); // other uses of sum are over
    for (int k = 0; k < STEP; k += 16) {
        wgmma(sum, matrix(&mine.at[k]), matrix(&tiles.b[0].at[k * 64]));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most `left` groups of products of this warpgroup are under way. Until
// a group is waited for, its tiles may not be written, nor its sums be read.
template <int left> __device__ void wait_for_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
}

// Writes the sums of all threads. out leads to the block's first element. A warp has
// 16 rows, and each thread two elements at a time in two of them.
__device__ void store(const float (&sum)[128], float *out, int cols) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    out += (16ll * warp + lane / 4) * cols + lane % 4 * 2;
    for (int x = 0; x < 32; x++) {
        float *at = out + 8 * x;
        *(float2 *)at = make_float2(sum[4 * x], sum[4 * x + 1]);
        at += 8ll * cols;
        *(float2 *)at = make_float2(sum[4 * x + 2], sum[4 * x + 3]);
    }
}
