// cp.async with a byte count that is a value: 16, or 0 for the padding.
// conv2d: a 3×3 convolution with padding 1, as a matrix product on the tensor cores.
//
// in: (images, height, width, channels), weights: (features, 3, 3, channels),
// out: (images, height, width, features), all of __half. channels and features are
// multiples of 64.
// Blocks of THREADS threads, four warps, with dynamic shared memory for STAGES tiles;
// a block computes FEATURES features of PIXELS pixels.

#include <cuda_fp16.h>     // __half
#include <cuda_pipeline.h> // waiting for copies

#define THREADS 128
#define K 3
#define PIXELS 128
#define FEATURES 64
#define STEP 64          // of the depth, copied at a time
#define PIECE 8          // elements in the 16 bytes that are copied at a time
#define ROWS (PIXELS / 16) // windows of which a thread copies a piece
#define STAGES 3

// What a block multiplies in one step: 24 KiB of shared memory.
struct Tiles {
    __align__(128) __half window[PIXELS * STEP];
    __align__(128) __half weight[FEATURES * STEP];
};

// The windows of which this thread copies pieces.
struct Windows {
    const __half *first[ROWS]; // place (0, 0), channel 0: perhaps outside the image
    unsigned inside[ROWS];     // bit p is set if place p (row p / K, column p % K) is in the image
};

__device__ void find(Windows &windows, const __half *in, int images, int height, int width,
                     int channels);
__device__ void multiply(float (&sum)[2][8][4], const Tiles &tiles);
__device__ void store(const float (&sum)[2][8][4], __half *out, int pixels, int features);

// Where a piece of a row is in a tile: see `tensor-core-ladder`.
__device__ int place(int row, int piece) {
    return row * STEP + (piece ^ row % 8) * PIECE;
}

// Starts copying the tiles of one step, and does not wait.
__device__ void fetch(Tiles &to, const Windows &windows, const __half *weights, int step,
                      int width, int channels) {
    // channels is a multiple of STEP, so the whole step belongs to one place of the window.
    int row = threadIdx.x / 8, piece = threadIdx.x % 8;
    int p = step * STEP / channels, c = step * STEP % channels + piece * PIECE;
    long long skip = (long long)(p / K * width + p % K) * channels + c;
    for (int i = 0; i < ROWS; i++) {
        // Outside the image there is no address: all 16 bytes become zero.
        bool inside = windows.inside[i] >> p & 1;
        unsigned where = (unsigned)__cvta_generic_to_shared(&to.window[place(16 * i + row, piece)]);
        const __half *from = inside ? windows.first[i] + skip : weights;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(where), "l"(from), "r"(inside ? 16 : 0));
    }
    for (int i = 0; i < FEATURES / 16; i++) {
        int feature = blockIdx.y * FEATURES + 16 * i + row;
        __pipeline_memcpy_async(&to.weight[place(16 * i + row, piece)],
                                weights + ((long long)feature * K * K + p) * channels + c, 16);
    }
}

extern "C" __global__ __launch_bounds__(THREADS, 3) void
conv2d(const __half *in, const __half *weights, __half *out, int images, int height, int width,
       int channels, int features) {
    extern __shared__ Tiles tiles[];
    Windows windows;
    find(windows, in, images, height, width, channels);

    // While one step is multiplied, the copies of the next STAGES - 1 are under way.
    int steps = K * K * channels / STEP;
    for (int step = 0; step < STAGES - 1; step++) {
        fetch(tiles[step], windows, weights, step, width, channels);
        __pipeline_commit();
    }
    float sum[2][8][4] = {};
    for (int step = 0; step < steps; step++) {
        __pipeline_wait_prior(STAGES - 2); // this step's tiles have arrived
        __syncthreads();                   // for all threads; nobody reads the last step's
        int next = step + STAGES - 1;
        if (next < steps) {
            fetch(tiles[next % STAGES], windows, weights, next, width, channels);
        }
        __pipeline_commit();
        multiply(sum, tiles[step % STAGES]);
    }
    store(sum, out, images * height * width, features);
}

// ---- How they do it ----

// Finds the windows: of pixels threadIdx.x / 8, 16 more, 32 more and so on.
__device__ void find(Windows &windows, const __half *in, int images, int height, int width,
                     int channels) {
    for (int i = 0; i < ROWS; i++) {
        int pixel = blockIdx.x * PIXELS + 16 * i + threadIdx.x / 8;
        int row = pixel / width % height, col = pixel % width;
        windows.first[i] = in + ((long long)pixel - width - 1) * channels;
        windows.inside[i] = 0;
        for (int p = 0; p < K * K; p++) {
            int y = row + p / K - 1, x = col + p % K - 1;
            bool inside = pixel < images * height * width && y >= 0 && y < height &&
                          x >= 0 && x < width;
            windows.inside[i] |= (unsigned)inside << p;
        }
    }
}

// Four 8×8 matrices from shared memory into the registers of the warp; lane l
// says where row l % 8 of matrix l / 8 begins.
__device__ void load(unsigned (&to)[4], const __half *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
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

// Multiplies the tiles of one step. A warp has 32 pixels and all features.
__device__ void multiply(float (&sum)[2][8][4], const Tiles &tiles) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int s = 0; s < STEP / 16; s++) {
        unsigned a[2][4];
        for (int i = 0; i < 2; i++) {
            load(a[i], &tiles.window[place(32 * warp + 16 * i + lane % 16, 2 * s + lane / 16)]);
        }
        for (int j = 0; j < 4; j++) {
            unsigned b[4];
            load(b, &tiles.weight[place(16 * j + lane % 8 + lane / 16 * 8, 2 * s + lane / 8 % 2)]);
            for (int i = 0; i < 2; i++) {
                mma(sum[i][2 * j], a[i], b[0], b[1]);
                mma(sum[i][2 * j + 1], a[i], b[2], b[3]);
            }
        }
    }
}

// Writes the sums of all warps, two features at a time.
__device__ void store(const float (&sum)[2][8][4], __half *out, int pixels, int features) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < 2; i++) {
        for (int r = 0; r < 2; r++) {
            int pixel = blockIdx.x * PIXELS + 32 * warp + 16 * i + 8 * r + lane / 4;
            if (pixel < pixels) {
                __half *to = out + (long long)pixel * features + blockIdx.y * FEATURES;
                for (int j = 0; j < 8; j++) {
                    // __floats2half2_rn: two floats, rounded to a __half2.
                    *(__half2 *)(to + 8 * j + lane % 4 * 2) =
                        __floats2half2_rn(sum[i][j][2 * r], sum[i][j][2 * r + 1]);
                }
            }
        }
    }
}
