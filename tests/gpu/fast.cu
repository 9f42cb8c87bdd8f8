// How near the lessons' kernels come to what a card can do.
//
//     nvcc -O3 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -o fast tests/gpu/fast.cu -lcublas && ./fast
//
// (wgmma is for Hopper only). The kernels are the lessons' own files, included below, and those of
// fast/, which go further; here they are launched on large matrices and arrays. Prints the tables of
// fast.md. Ends with status 1 if a result is wrong.
//
// Each time is the median of many launches, each between two events, after a warm-up. Two sets of
// buffers take turns, each many times as large as the L2 cache, so no launch finds its input there.
// Where the arrays are smaller than that, 256 MiB of others are read before each launch (and the host
// is ahead of the GPU then, so no launch is waited for). "Copy" is the faster of a plain copy kernel and cudaMemcpy on the device, both counted as bytes
// read and bytes written. cuBLAS multiplies floats as floats (no TF32), and halves with f32 sums.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>

// The same names occur in several files: each gets a namespace, and kernels of one name another.
namespace reduce_ladder {
#include "../../solutions/2-parallel-patterns/reduce-ladder.cu"
#include "fast/between.h"
}
namespace fuse_elementwise {
#include "../../solutions/3-memory-and-speed/fuse-elementwise.cu"
#include "fast/between.h"
}
namespace vector_loads {
#include "../../solutions/3-memory-and-speed/vector-loads.cu"
#include "fast/between.h"
}
namespace transpose_tiled {
#include "../../solutions/3-memory-and-speed/transpose-tiled.cu"
#include "fast/between.h"
}
namespace softmax_lesson {
#include "../../solutions/3-memory-and-speed/softmax.cu"
#include "fast/between.h"
}
namespace layernorm_lesson {
#include "../../solutions/3-memory-and-speed/layernorm.cu"
#include "fast/between.h"
}
namespace softmax_starter {
#define softmax softmax_at_first
#include "../wrong/softmax/three-readings-by-trees.cu"
#undef softmax
#include "fast/between.h"
}
namespace layernorm_starter {
#define layernorm layernorm_at_first
#include "../wrong/layernorm/three-readings-by-trees.cu"
#undef layernorm
#include "fast/between.h"
}
namespace scan_array {
#include "../../solutions/3-memory-and-speed/scan-array.cu"
#include "fast/scan.cu"
const int FOURS = FOURS_TILE;
#include "fast/between.h"
}
namespace adam_lesson {
#include "../../solutions/13-networks/adam.cu"
#include "fast/between.h"
}
namespace cross_entropy_lesson {
#include "../../solutions/13-networks/cross-entropy.cu"
#include "fast/between.h"
}
namespace dtypes_lesson {
#include "../../solutions/3-memory-and-speed/dtypes.cu"
#include "fast/between.h"
}
namespace attention_lesson {
#define tiles attention_tiles // dynamic shared memory: one type for each name
#include "../../solutions/13-networks/flash-attention-mma.cu"
#undef tiles
const int SHARED = 2 * sizeof(Tiles);
#include "fast/between.h"
}
namespace convolution_lesson {
#define tiles convolution_tiles
#include "../../solutions/12-matrices/conv-tensor-cores.cu"
#undef tiles
const int SHARED = STAGES * sizeof(Tiles), PIXELS_A_BLOCK = PIXELS, FEATURES_A_BLOCK = FEATURES;
#include "fast/between.h"
}
namespace tensor_core_gemm {
#define gemm gemm_tensor_core_lesson
#include "../../solutions/3-memory-and-speed/tensor-core-gemm.cu"
#undef gemm
#include "fast/between.h"
}
namespace tensor_core_ladder {
#define gemm gemm_tensor_core_ladder
#include "../../solutions/3-memory-and-speed/tensor-core-ladder.cu"
#undef gemm
#include "fast/between.h"
}
namespace warpgroup_gemm {
#define gemm gemm_warpgroup
#define tiles warpgroup_tiles
#include "../../solutions/3-memory-and-speed/warpgroup-gemm.cu"
#undef gemm
#undef tiles
const int SHARED = 4 * sizeof(Tiles);
#include "fast/between.h"
}
namespace gemm_0 {
#define gemm gemm_step_0
#include "../wrong/gemm-registers/one-by-one.cu"
#undef gemm
#include "fast/between.h"
}
namespace gemm_1 {
#define gemm gemm_step_1
#include "../wrong/gemm-registers/coalesced.cu"
#undef gemm
#include "fast/between.h"
}
namespace gemm_2 {
#define gemm gemm_step_2
#include "../wrong/gemm-registers/small-tiles.cu"
#undef gemm
#include "fast/between.h"
}
namespace gemm_3 {
#define gemm gemm_step_3
#include "../../kernels/3-memory-and-speed/gemm-registers.cu"
#undef gemm
#include "fast/between.h"
}
namespace gemm_4 {
#define gemm gemm_step_4
#include "../../kernels/3-memory-and-speed/gemm-vectors.cu"
#undef gemm
#include "fast/between.h"
}
namespace gemm_5 {
#define gemm gemm_step_5
#include "../../kernels/3-memory-and-speed/gemm-ladder.cu"
#undef gemm
#include "fast/between.h"
}
namespace gemm_6 {
#define gemm gemm_step_6
#include "../../solutions/3-memory-and-speed/gemm-ladder.cu"
#undef gemm
#include "fast/between.h"
}
#include "fast/attention.cu"
#include "fast/convolution.cu"
#include "fast/cross-entropy.cu"
#include "fast/gemm.cu"
#include "fast/tensor-cores.cu"
#include "fast/transpose.cu"
#include "fast/wgmma.cu"

static void must(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}

static void must(cublasStatus_t status, const char *what) {
    if (status != CUBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "%s: cuBLAS says %d\n", what, (int)status);
        exit(2);
    }
}

static bool all_right = true;

static const char *verdict(bool right) {
    all_right = all_right && right;
    return right ? "right" : "WRONG";
}

// Median time of a launch, in µs. `launch` gets the number of the set of buffers to use. `before` is
// launched before each, and is not timed.
static double median_us(const std::function<void(int)> &launch, int launches = 60, const std::function<void()> &before = nullptr) {
    cudaEvent_t begin, end;
    must(cudaEventCreate(&begin), "event");
    must(cudaEventCreate(&end), "event");
    std::vector<float> times;
    for (int i = 0; i < launches + 10; i++) {
        if (before) {
            before();
        }
        must(cudaEventRecord(begin), "record");
        launch(i % 2);
        must(cudaEventRecord(end), "record");
        must(cudaGetLastError(), "launch");
        must(cudaEventSynchronize(end), "run");
        float ms;
        must(cudaEventElapsedTime(&ms, begin, end), "time");
        if (i >= 10) {
            times.push_back(ms * 1000);
        }
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

// Different for each element, and not too regular: floats in [low, high).
__global__ void fill_floats(float *to, size_t n, float low, float high, unsigned seed) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned h = ((unsigned)i + seed) * 2654435761u;
        h = (h ^ h >> 15) * 2246822519u;
        h = (h ^ h >> 13) * 3266489917u;
        to[i] = low + (high - low) * ((h ^ h >> 16) >> 8) * (1.0f / 16777216);
    }
}

__global__ void fill_ints(int *to, size_t n, int low, int high, unsigned seed) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned h = ((unsigned)i + seed) * 2654435761u;
        h = (h ^ h >> 15) * 2246822519u;
        to[i] = low + (int)((h ^ h >> 13) % (unsigned)(high - low + 1));
    }
}

__global__ void to_half(__half *to, const float *from, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        to[i] = __float2half(from[i]);
    }
}

// The plain copy: a float4 for each thread.
__global__ void copy_kernel(const float4 *from, float4 *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = from[i];
    }
}

// Reads so much that nothing else is left in the caches, and nothing waits to be written back.
__global__ void read_all(const float4 *from, size_t n, float *to) {
    float sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float4 v = from[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (sum == 123.456f) {
        *to = sum;
    }
}

static float *floats(size_t n) {
    float *p;
    must(cudaMalloc(&p, n * sizeof(float)), "memory");
    must(cudaMemset(p, 0xff, n * sizeof(float)), "memory");
    return p;
}

template <class T> static std::vector<T> fetched(const T *from, size_t n) {
    std::vector<T> to(n);
    must(cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost), "copy back");
    return to;
}

// What is launched to flush the caches.
static std::function<void()> flushing() {
    const size_t n = 1 << 26;
    static float *others = nullptr;
    if (!others) {
        others = floats(n);
        must(cudaMemset(others, 0, 4 * n), "memory");
    }
    return [=] { read_all<<<1056, 256>>>((float4 *)others, n / 4, others); };
}

// Threads for a row of so many columns, in softmax and layernorm.
static int threads_for(int cols) {
    return 32 * std::min((cols + 255) / 256, 32);
}

static double copy_gbs; // the card's copy bandwidth, GB/s

static void memory_row(const char *what, const char *launch, double bytes, double us, const char *result) {
    double gbs = bytes / us * 1e-3;
    printf("| %s | %s | %.0f | %.0f | %.1f %% | %s |\n", what, launch, us, gbs, 100 * gbs / copy_gbs, result);
    fflush(stdout);
}

static void memory_bound(int sms) {
    const int n = 1 << 27; // floats: 512 MiB an array
    const double array = 4.0 * n;
    float *in[2] = {floats(n), floats(n)}, *out[2] = {floats(n), floats(n)};
    float *spare = floats(1 << 20);
    for (int s = 0; s < 2; s++) {
        fill_floats<<<1024, 256>>>(in[s], n, -1, 1, s);
    }

    double by_kernel = median_us([&](int s) { copy_kernel<<<n / 4 / 256, 256>>>((float4 *)in[s], (float4 *)out[s], n / 4); });
    double by_memcpy = median_us([&](int s) { cudaMemcpyAsync(out[s], in[s], 4ull * n, cudaMemcpyDeviceToDevice); });
    copy_gbs = 2 * array / std::min(by_kernel, by_memcpy) * 1e-3;
    printf("Copy bandwidth: %.0f GB/s (kernel %.0f, cudaMemcpy %.0f)\n\n", copy_gbs, 2 * array / by_kernel * 1e-3, 2 * array / by_memcpy * 1e-3);
    printf("| lesson | launch | median µs | GB/s | share of copy | result |\n|---|---|---|---|---|---|\n");

    {
        double us = median_us([&](int s) {
            fuse_elementwise::scale_shift_relu<<<n / 1024, 256>>>(in[s], nullptr, nullptr, out[s], 3, 0.5f, n);
        });
        std::vector<float> x = fetched(in[0], 100000), y = fetched(out[0], 100000);
        bool right = true;
        for (size_t i = 0; i < x.size(); i++) {
            right = right && std::fabs(y[i] - std::max(3 * x[i] + 0.5f, 0.0f)) <= 1e-6f;
        }
        memory_row("fuse-elementwise", "a block of 256 for 1024", 2 * array, us, verdict(right));
    }
    {
        std::vector<float> x = fetched(in[0], 100000), before = fetched(out[0], 100000);
        vector_loads::axpy<<<n / 1024, 256>>>(3, in[0], out[0], n);
        std::vector<float> y = fetched(out[0], 100000);
        bool right = true;
        for (size_t i = 0; i < x.size(); i++) {
            right = right && std::fabs(y[i] - (before[i] + 3 * x[i])) <= 1e-5f;
        }
        double us = median_us([&](int s) { vector_loads::axpy<<<n / 1024, 256>>>(1e-6f, in[s], out[s], n); });
        memory_row("vector-loads", "a block of 256 for 1024", 3 * array, us, verdict(right));
    }
    {
        std::vector<float> x = fetched(in[0], n);
        double want = 0, size = 0;
        for (float v : x) {
            want += v;
            size += std::fabs(v);
        }
        const int blocks = sms * 8;
        auto reduce = [&](int s) {
            reduce_ladder::reduce<<<blocks, 256>>>(in[s], spare, n);
            reduce_ladder::reduce<<<1, 256>>>(spare, spare + blocks, blocks);
        };
        double us = median_us(reduce);
        reduce(0);
        float got = fetched(spare + blocks, 1)[0];
        memory_row("reduce-ladder", "8 blocks of 256 for each multiprocessor, then 1", array, us,
                   verdict(std::fabs(got - want) <= 1e-6 * size));
    }
    auto transposed = [&](const char *what, const char *how, const std::function<void(int, int, int)> &transpose) {
        const int rows = 8192, cols = 16384;
        must(cudaMemset(out[0], 0xff, 4ull * n), "memory");
        double us = median_us([&](int s) { transpose(s, rows, cols); });
        std::vector<float> x = fetched(in[0], n), y = fetched(out[0], n);
        bool right = true;
        for (int r = 0; r < rows; r += 7) {
            for (int c = 0; c < cols; c++) {
                right = right && y[(size_t)c * rows + r] == x[(size_t)r * cols + c];
            }
        }
        memory_row(what, how, 2 * array, us, verdict(right));
    };
    transposed("transpose-tiled", "32×8 threads for 32×32", [&](int s, int rows, int cols) {
        transpose_tiled::transpose<<<dim3(cols / 32, rows / 32), dim3(32, 8)>>>(in[s], out[s], rows, cols);
    });
    transposed("fast/transpose.cu", "256 threads for 64×64", [&](int s, int rows, int cols) {
        transpose_fours<<<dim3(cols / 64, rows / 64), 256>>>(in[s], out[s], rows, cols);
    });
    for (int cols : {1024, 4096, 16384}) {
        double us = median_us([&](int s) { softmax_starter::softmax_at_first<<<n / cols, threads_for(cols)>>>(in[s], out[s], cols); });
        memory_row("softmax, three readings by trees", ("rows of " + std::to_string(cols)).c_str(), 2 * array, us, "");
    }
    for (int cols : {1024, 4096, 16384}) {
        const int rows = n / cols;
        double us = median_us([&](int s) { softmax_lesson::softmax<<<rows, threads_for(cols)>>>(in[s], out[s], cols); });
        bool right = true;
        std::vector<float> x = fetched(in[0], 8 * cols), y = fetched(out[0], 8 * cols);
        for (int r = 0; r < 8; r++) {
            double sum = 0;
            for (int c = 0; c < cols; c++) {
                sum += std::exp((double)x[r * cols + c]);
            }
            for (int c = 0; c < cols; c++) {
                double want = std::exp((double)x[r * cols + c]) / sum;
                right = right && std::fabs(y[r * cols + c] - want) <= 1e-5 * want;
            }
        }
        memory_row("softmax", ("rows of " + std::to_string(cols) + ", a block of " + std::to_string(threads_for(cols)) + " each").c_str(), 2 * array, us, verdict(right));
    }
    for (int cols : {1024, 4096, 16384}) {
        double us = median_us([&](int s) {
            layernorm_starter::layernorm_at_first<<<n / cols, threads_for(cols)>>>(in[s], spare, spare + cols, out[s], cols);
        });
        memory_row("layernorm, three readings by trees", ("rows of " + std::to_string(cols)).c_str(), 2 * array, us, "");
    }
    for (int cols : {1024, 4096, 16384}) {
        const int rows = n / cols;
        fill_floats<<<64, 256>>>(spare, 2 * cols, 0.5f, 1.5f, 7);
        double us = median_us([&](int s) {
            layernorm_lesson::layernorm<<<rows, threads_for(cols)>>>(in[s], spare, spare + cols, out[s], cols);
        });
        bool right = true;
        std::vector<float> x = fetched(in[0], 8 * cols), y = fetched(out[0], 8 * cols), g = fetched(spare, 2 * cols);
        for (int r = 0; r < 8; r++) {
            double sum = 0, squares = 0;
            for (int c = 0; c < cols; c++) {
                sum += x[r * cols + c];
            }
            for (int c = 0; c < cols; c++) {
                squares += std::pow(x[r * cols + c] - sum / cols, 2);
            }
            for (int c = 0; c < cols; c++) {
                double want = (x[r * cols + c] - sum / cols) / std::sqrt(squares / cols + 1e-5) * g[c] + g[cols + c];
                right = right && std::fabs(y[r * cols + c] - want) <= 1e-5;
            }
        }
        memory_row("layernorm", ("rows of " + std::to_string(cols) + ", a block of " + std::to_string(threads_for(cols)) + " each").c_str(), 2 * array, us, verdict(right));
    }
    {
        for (int s = 0; s < 2; s++) {
            fill_ints<<<1024, 256>>>((int *)in[s], n, -50, 50, s);
        }
        scan_array::Note *notes = (scan_array::Note *)spare;
        int *ticket = (int *)(spare + (1 << 19));
        auto scanned = [&](const char *what, const char *how, int tile, const std::function<void(int, int)> &scan) {
            const int tiles = (n + tile - 1) / tile;
            must(cudaMemset(out[0], 0xff, 4ull * n), "memory");
            auto both = [&](int s) {
                scan_array::clear<<<(tiles + 255) / 256, 256>>>(notes, ticket, tiles);
                scan(s, tiles);
            };
            double us = median_us(both);
            both(0);
            std::vector<float> x = fetched(in[0], n), y = fetched(out[0], n);
            const int *from = (const int *)x.data(), *got = (const int *)y.data();
            unsigned sum = 0;
            bool right = true;
            for (int i = 0; i < n; i++) {
                sum += (unsigned)from[i];
                right = right && (unsigned)got[i] == sum;
            }
            memory_row(what, how, 2 * array, us, verdict(right));
        };
        scanned("scan-array", "clear, then a block of 256 for 4096", 4096, [&](int s, int tiles) {
            scan_array::scan<<<tiles, 256>>>((int *)in[s], (int *)out[s], notes, ticket, n);
        });
        scanned("fast/scan.cu", "clear, then a block of 256 for 8192", scan_array::FOURS, [&](int s, int tiles) {
            scan_array::scan_fours<<<tiles, 256>>>((int *)in[s], (int *)out[s], notes, ticket, n);
        });
    }
    {
        const int m = 1 << 26, half = 1 << 26; // two arrays in each buffer
        float *scales = spare;
        fill_floats<<<1, 32>>>(scales, 2, 1, 10, 1);
        for (int s = 0; s < 2; s++) {
            fill_floats<<<1024, 256>>>(in[s], n, 0, 1, 2 * s);
            fill_floats<<<1024, 256>>>(out[s], n, 0, 1, 2 * s + 1);
        }
        const size_t some = 100000;
        std::vector<float> p = fetched(in[0], some), mean = fetched(in[0] + half, some), square = fetched(out[0], some),
                           g = fetched(out[0] + half, some), scale = fetched(scales, 2);
        auto adam = [&](int s) { adam_lesson::adam<<<m / 1024, 256>>>(in[s], in[s] + half, out[s], out[s] + half, scales, m); };
        adam(0);
        std::vector<float> got = fetched(in[0], some);
        bool right = true;
        for (size_t i = 0; i < some; i++) {
            double now = 0.9 * mean[i] + 0.1 * g[i], squares = 0.99 * square[i] + 0.01 * g[i] * g[i];
            double want = p[i] - 0.01 * (now * scale[0]) / (std::sqrt(squares * scale[1]) + 1e-8);
            right = right && std::fabs(got[i] - want) <= 1e-5 + 1e-5 * std::fabs(want);
        }
        double us = median_us(adam);
        memory_row("adam", "2^26 weights, a block of 256 for 1024", 28.0 * m, us, verdict(right));
    }
    {
        int *targets = (int *)spare;
        float *losses = spare + (1 << 19);
        fill_ints<<<64, 256>>>(targets, 1 << 14, 0, 999999, 5);
        auto entropy = [&](const char *what, const char *how, int tokens, int vocab, const std::function<void(float *)> &launch) {
            const size_t count = (size_t)tokens * vocab;
            for (int s = 0; s < 2; s++) {
                fill_floats<<<1024, 256>>>(in[s], count, -240, -100, 3 + s);
            }
            std::vector<float> x = fetched(in[0], 8 * (size_t)vocab);
            std::vector<int> target = fetched(targets, 8);
            launch(in[0]);
            std::vector<float> y = fetched(in[0], x.size()), loss = fetched(losses, 8);
            bool right = true;
            for (int r = 0; r < 8; r++) {
                const float *from = &x[(size_t)r * vocab], *got = &y[(size_t)r * vocab];
                const double top = *std::max_element(from, from + vocab);
                double sum = 0;
                for (int c = 0; c < vocab; c++) {
                    sum += std::exp(from[c] - top);
                }
                const double want = std::log(sum) + top - from[target[r] % vocab];
                right = right && std::fabs(loss[r] - want) <= 1e-4 * want;
                for (int c = 0; c < vocab; c++) {
                    double gradient = std::exp(from[c] - top) / sum - (c == target[r] % vocab ? 1 : 0);
                    right = right && std::fabs((double)got[c] * tokens - gradient) <= 1e-4;
                }
            }
            double us = median_us([&](int s) { launch(in[s]); });
            memory_row(what, how, 8.0 * count, us, verdict(right));
        };
        must(cudaFuncSetAttribute(cross_entropy_lesson::cross_entropy, cudaFuncAttributeMaxDynamicSharedMemorySize, 4 * 32000), "shared memory");
        for (int vocab : {8192, 32000}) {
            const int tokens = vocab == 8192 ? 8192 : 4096;
            entropy("cross-entropy", (std::to_string(tokens) + " rows of " + std::to_string(vocab) + ", a block of 256 each").c_str(), tokens, vocab,
                    [&](float *x) { cross_entropy_lesson::cross_entropy<<<tokens, 256, 4 * vocab>>>(x, targets, losses, tokens, vocab); });
        }
        entropy("fast/cross-entropy.cu", "4096 rows of 32000, a block of 1024 each", 4096, 32000,
                [&](float *x) { cross_entropy_registers<<<4096, 1024>>>(x, targets, losses, 4096, 32000); });
    }
    {
        // As the lesson is timed: 512 rows of 32768, in sets of their own.
        const int inner = 512, cols = 32768, count = inner * cols, sets = 4;
        auto flush = flushing();
        fill_floats<<<1024, 256>>>(in[0], (size_t)sets * count, -1, 1, 1);
        fill_floats<<<1, 256>>>(spare, inner, -1, 1, 2);
        auto packed = [&](int s) { return (__half *)out[0] + (size_t)s * count; };
        int turn = 0;
        double us = median_us([&](int) {
            turn = (turn + 1) % sets;
            dtypes_lesson::pack<<<count / 256, 256>>>(in[0] + (size_t)turn * count, packed(turn), count);
        }, 60, flush);
        memory_row("dtypes, pack", "a thread for each element", 6.0 * count, us, "");
        us = median_us([&](int) {
            turn = (turn + 1) % sets;
            dtypes_lesson::product<<<cols / 64, 64>>>(spare, packed(turn), out[1], inner, cols);
        }, 60, flush);
        memory_row("dtypes, product", "a thread for each column", 2.0 * count, us, "");
    }
    for (int s = 0; s < 2; s++) {
        cudaFree(in[s]);
        cudaFree(out[s]);
    }
    cudaFree(spare);
}

// ‖got - want‖ / ‖want‖
static double distance(const std::vector<float> &got, const std::vector<float> &want) {
    double off = 0, size = 0;
    for (size_t i = 0; i < got.size(); i++) {
        off += std::pow((double)got[i] - want[i], 2);
        size += std::pow((double)want[i], 2);
    }
    return std::sqrt(off / size);
}

// A matrix of __half for copies of boxes, in the order that wgmma takes.
static CUtensorMap map_of(const __half *matrix, size_t rows, size_t cols, unsigned box_rows, unsigned box_cols) {
    void *encode;
    cudaDriverEntryPointQueryResult found;
    must(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found), "tensor maps");
    const cuuint64_t size[] = {cols, rows}, stride[] = {cols * sizeof(__half)};
    const cuuint32_t box[] = {box_cols, box_rows}, step[] = {1, 1};
    CUtensorMap map;
    CUresult result = ((decltype(&cuTensorMapEncodeTiled))encode)(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void *)matrix, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) {
        fprintf(stderr, "tensor map: the driver says %d\n", (int)result);
        exit(2);
    }
    return map;
}

static void products(int size, int sms) {
    const size_t n = (size_t)size * size;
    const double flops = 2.0 * size * n;
    float *a = floats(n), *b = floats(n), *out = floats(n), *want = floats(n);
    __half *ha = (__half *)floats(n / 2), *hb = (__half *)floats(n / 2);
    fill_floats<<<1024, 256>>>(a, n, -1, 1, 1);
    fill_floats<<<1024, 256>>>(b, n, -1, 1, 2);
    to_half<<<1024, 256>>>(ha, a, n);
    to_half<<<1024, 256>>>(hb, b, n);
    cublasHandle_t blas;
    must(cublasCreate(&blas), "cuBLAS");
    const float one = 1, zero = 0;

    printf("\n| %d × %d × %d | median µs | TFLOP/s | share of cuBLAS | result |\n|---|---|---|---|---|\n", size, size, size);
    // cuBLAS is what the kernels are compared with; some of its own elements are checked here.
    auto checked = [&](const std::vector<float> &got, double tolerance, bool halves) {
        std::vector<float> from_a = fetched(a, n), from_b = fetched(b, n);
        for (int i = 0; i < 64; i++) {
            size_t r = i * 61 % size, c = i * 97 % size;
            double sum = 0;
            for (int k = 0; k < size; k++) {
                float x = from_a[r * size + k], y = from_b[(size_t)k * size + c];
                sum += halves ? (double)__half2float(__float2half(x)) * __half2float(__float2half(y)) : (double)x * y;
            }
            all_right = all_right && std::fabs(got[r * size + c] - sum) <= tolerance;
        }
        return got;
    };
    std::vector<float> expected;
    auto row = [&](const char *what, double library_us, int launches, const std::function<void()> &launch) {
        must(cudaMemset(out, 0xff, 4 * n), "memory");
        double us = median_us([&](int) { launch(); }, launches);
        double off = distance(fetched(out, n), expected);
        printf("| %s | %.0f | %.1f | %.1f %% | %s (%.0e) |\n", what, us, flops / us * 1e-6, 100 * library_us / us, verdict(off <= 1e-5), off);
        fflush(stdout);
    };

    // Row-major out = a × b is column-major outᵀ = bᵀ × aᵀ.
    auto sgemm = [&] {
        must(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one, b, size, a, size, &zero, want, size), "sgemm");
    };
    must(cublasSetMathMode(blas, CUBLAS_PEDANTIC_MATH), "math mode");
    double library = median_us([&](int) { sgemm(); }, 30);
    printf("| cuBLAS, f32 | %.0f | %.1f | | |\n", library, flops / library * 1e-6);
    expected = checked(fetched(want, n), 1e-2, false);
    dim3 grid(size / 128, size / 128);
    if (size <= 4096) {
        row("gemm, one by one", library, 3, [&] { gemm_0::gemm_step_0<<<grid, 256>>>(a, b, out, size, size, size); });
        row("gemm, coalesced", library, 3, [&] { gemm_1::gemm_step_1<<<grid, 256>>>(a, b, out, size, size, size); });
        row("gemm, 16×16 tiles", library, 5, [&] { gemm_2::gemm_step_2<<<grid, 256>>>(a, b, out, size, size, size); });
        row("gemm-registers, starter: 8 sums", library, 5, [&] { gemm_3::gemm_step_3<<<grid, 256>>>(a, b, out, size, size, size); });
        row("gemm-vectors, starter: 8×8 sums", library, 20, [&] { gemm_4::gemm_step_4<<<grid, 256>>>(a, b, out, size, size, size); });
        row("gemm-ladder, starter: float4", library, 30, [&] { gemm_5::gemm_step_5<<<grid, 256>>>(a, b, out, size, size, size); });
    }
    row("gemm-ladder, solution: two tiles", library, 30, [&] { gemm_6::gemm_step_6<<<grid, 256>>>(a, b, out, size, size, size); });
    must(cudaFuncSetAttribute(gemm_wide, cudaFuncAttributeMaxDynamicSharedMemorySize, GEMM_WIDE_SHARED), "shared memory");
    row("fast/gemm.cu", library, 30, [&] {
        gemm_wide<<<dim3(size / 256, size / 128), 256, GEMM_WIDE_SHARED>>>(a, b, out, size, size, size);
    });

    must(cublasSetMathMode(blas, CUBLAS_DEFAULT_MATH), "math mode");
    library = median_us([&](int) {
        must(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one, hb, CUDA_R_16F, size, ha, CUDA_R_16F, size, &zero, want,
                          CUDA_R_32F, size, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT), "gemm");
    }, 30);
    printf("| cuBLAS, f16 with f32 sums | %.0f | %.1f | | |\n", library, flops / library * 1e-6);
    expected = checked(fetched(want, n), 1e-1, true);
    row("tensor-core-gemm, f16", library, 10, [&] {
        tensor_core_gemm::gemm_tensor_core_lesson<<<dim3(size / 32, size / 32), 32>>>(ha, hb, out, size, size, size);
    });
    row("tensor-core-ladder, f16", library, 30, [&] {
        tensor_core_ladder::gemm_tensor_core_ladder<<<grid, 128>>>(ha, hb, out, size, size, size);
    });
    must(cudaFuncSetAttribute(gemm_tensor_cores, cudaFuncAttributeMaxDynamicSharedMemorySize, GEMM_SHARED), "shared memory");
    row("fast/tensor-cores.cu, f16", library, 30, [&] {
        gemm_tensor_cores<<<size / GEMM_ROWS * (size / GEMM_COLS), 256, GEMM_SHARED>>>(ha, hb, out, size, size, size);
    });
    auto *warpgroups = warpgroup_gemm::gemm_warpgroup;
    must(cudaFuncSetAttribute(warpgroups, cudaFuncAttributeMaxDynamicSharedMemorySize, warpgroup_gemm::SHARED), "shared memory");
    row("warpgroup-gemm, f16", library, 30, [&] {
        warpgroups<<<dim3(size / 256, size / 128), 256, warpgroup_gemm::SHARED>>>(ha, hb, out, size, size, size);
    });
    must(cudaFuncSetAttribute(gemm_wgmma, cudaFuncAttributeMaxDynamicSharedMemorySize, WGMMA_SHARED), "shared memory");
    const CUtensorMap a_map = map_of(ha, size, size, WGMMA_ROWS, 64), b_map = map_of(hb, size, size, WGMMA_STEP, 64);
    row("fast/wgmma.cu, f16", library, 30, [&] {
        gemm_wgmma<<<sms, 384, WGMMA_SHARED>>>(a_map, b_map, out, size, size, size);
    });
    cublasDestroy(blas);
    for (void *p : {(void *)a, (void *)b, (void *)out, (void *)want, (void *)ha, (void *)hb}) {
        cudaFree(p);
    }
}

static void network_row(const char *what, double flops, double us, const char *result) {
    printf("| %s | %.1f | %.0f | %s |\n", what, us, flops / us * 1e-6, result);
    fflush(stdout);
}

static __half *halves(size_t n, float size, unsigned seed) {
    float *from = floats(n);
    __half *to = (__half *)floats((n + 1) / 2);
    fill_floats<<<1024, 256>>>(from, n, -size, size, seed);
    to_half<<<1024, 256>>>(to, from, n);
    must(cudaFree(from), "memory");
    return to;
}

// 4 × 16 heads, not causal. Some rows are compared with the host's, in double.
static void attentions() {
    const int heads = 64;
    auto flush = flushing();
    printf("\n| attention | µs | TFLOP/s | result |\n|---|---|---|---|\n");
    auto attention = [&](const char *what, int n, int head, const std::function<std::function<void()>(__half *, __half *, __half *, __half *)> &launcher) {
        const size_t count = (size_t)heads * n * head;
        __half *q = halves(count, 2, 1), *k = halves(count, 2, 2), *v = halves(count, 2, 3), *out = (__half *)floats(count / 2);
        auto launch = launcher(q, k, v, out);
        double us = median_us([&](int) { launch(); }, 30, flush);
        bool right = true;
        for (int i = 0; i < 16; i++) {
            const size_t at = (size_t)(i * 21 % heads) * n, row = i * 677 % n;
            std::vector<__half> query = fetched(q + (at + row) * head, head), keys = fetched(k + at * head, (size_t)n * head),
                                values = fetched(v + at * head, (size_t)n * head), got = fetched(out + (at + row) * head, head);
            std::vector<double> weight(n);
            double top = -1e9, sum = 0;
            for (int j = 0; j < n; j++) {
                for (int c = 0; c < head; c++) {
                    weight[j] += (double)__half2float(query[c]) * __half2float(keys[(size_t)j * head + c]) / std::sqrt((double)head);
                }
                top = std::max(top, weight[j]);
            }
            for (double &w : weight) {
                w = std::exp(w - top);
                sum += w;
            }
            for (int c = 0; c < head; c++) {
                double want = 0;
                for (int j = 0; j < n; j++) {
                    want += weight[j] / sum * __half2float(values[(size_t)j * head + c]);
                }
                right = right && std::fabs(__half2float(got[c]) - want) <= 2e-3;
            }
        }
        network_row(what, 4.0 * heads * n * n * head, us, verdict(right));
        for (__half *p : {q, k, v, out}) {
            cudaFree(p);
        }
    };
    attention("flash-attention-mma, 2048 tokens, heads of 64", 2048, 64, [&](__half *q, __half *k, __half *v, __half *out) {
        return [=] { attention_lesson::attention<<<dim3(2048 / 64, heads), 128, attention_lesson::SHARED>>>(q, k, v, out, 2048); };
    });
    must(cudaFuncSetAttribute(attention_wgmma, cudaFuncAttributeMaxDynamicSharedMemorySize, ATTENTION_SHARED), "shared memory");
    attention("fast/attention.cu (wgmma), 4096 tokens, heads of 128", 4096, 128, [&](__half *q, __half *k, __half *v, __half *out) {
        const size_t rows = (size_t)heads * 4096;
        CUtensorMap q_map = map_of(q, rows, 128, 64, 64), k_map = map_of(k, rows, 128, ATTENTION_KEYS, 64),
                    v_map = map_of(v, rows, 128, ATTENTION_KEYS, 64);
        return [=] {
            attention_wgmma<<<dim3(4096 / 128, heads), 384, ATTENTION_SHARED>>>(q_map, k_map, v_map, out, 4096,
                                                                              1.44269504f / std::sqrt(128.0f));
        };
    });
}

// A layer of ResNet-50 with 32 images: the lesson's kernel, and the one of fast/ with tiles that suit it.
template <int PIXELS, int FEATURES, int STAGES, int SPLIT> static void convolution(int size, int channels) {
    typedef Convolution<PIXELS, FEATURES, STAGES, SPLIT> Is;
    const int images = 32, pixels = images * size * size, sets = 4;
    const size_t count = (size_t)pixels * channels, weights = 9ull * channels * channels;
    __half *in = halves(sets * count, 1, 1), *weight = halves(sets * weights, 0.1f, 2), *out = (__half *)floats(sets * count / 2);
    auto flush = flushing();
    std::vector<__half> from = fetched(in, count), by = fetched(weight, weights);
    auto row = [&](const std::string &what, const std::function<void(const __half *, const __half *, __half *)> &launch) {
        must(cudaMemset(out, 0xff, 2 * count), "memory");
        launch(in, weight, out);
        std::vector<__half> got = fetched(out, count);
        bool right = true;
        for (int i = 0; i < 4096; i++) {
            const size_t at = (size_t)i * 7919 % count;
            const int feature = at % channels, pixel = at / channels, x = pixel % size, y = pixel / size % size;
            double want = 0;
            for (int p = 0; p < 9; p++) {
                int row = y + p / 3 - 1, col = x + p % 3 - 1;
                for (int c = 0; row >= 0 && row < size && col >= 0 && col < size && c < channels; c++) {
                    want += (double)__half2float(from[(size_t)(pixel + (p / 3 - 1) * size + p % 3 - 1) * channels + c]) *
                            __half2float(by[((size_t)feature * 9 + p) * channels + c]);
                }
            }
            right = right && std::fabs(__half2float(got[at]) - want) <= 2e-3 + 1e-3 * std::fabs(want);
        }
        int turn = 0;
        double us = median_us([&](int) {
            turn = (turn + 1) % sets;
            launch(in + turn * count, weight + turn * weights, out + turn * count);
        }, 60, flush);
        network_row((what + std::to_string(size) + "×" + std::to_string(size) + ", " + std::to_string(channels)).c_str(),
                    18.0 * count * channels, us, verdict(right));
    };
    must(cudaFuncSetAttribute(convolution_lesson::conv2d, cudaFuncAttributeMaxDynamicSharedMemorySize, convolution_lesson::SHARED), "shared memory");
    row("conv-tensor-cores, ", [&](const __half *in, const __half *weight, __half *out) {
        dim3 grid((pixels + convolution_lesson::PIXELS_A_BLOCK - 1) / convolution_lesson::PIXELS_A_BLOCK, channels / convolution_lesson::FEATURES_A_BLOCK);
        convolution_lesson::conv2d<<<grid, 128, convolution_lesson::SHARED>>>(in, weight, out, images, size, size, channels, channels);
    });
    auto *kernel = convolution_wgmma<PIXELS, FEATURES, STAGES, SPLIT>;
    must(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Is::SHARED), "shared memory");
    row("fast/convolution.cu (wgmma), ", [&](const __half *in, const __half *weight, __half *out) {
        cudaLaunchConfig_t config = {};
        cudaLaunchAttribute cluster = {};
        config.gridDim = dim3((pixels + PIXELS - 1) / PIXELS * SPLIT, channels / FEATURES);
        config.blockDim = Is::THREADS;
        config.dynamicSmemBytes = Is::SHARED;
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim = {SPLIT, 1, 1};
        config.attrs = &cluster;
        config.numAttrs = SPLIT > 1;
        must(cudaLaunchKernelEx(&config, kernel, in, weight, out, images, size, size, channels, channels), "launch");
    });
    for (__half *p : {in, weight, out}) {
        cudaFree(p);
    }
}

static void convolutions() {
    printf("\n| 3×3 convolution of 32 images, image and channels | µs | TFLOP/s | result |\n|---|---|---|---|\n");
    convolution<64, 64, 4, 1>(56, 64);
    convolution<128, 64, 3, 1>(28, 128);
    convolution<128, 256, 4, 2>(14, 256);
    convolution<128, 256, 4, 4>(7, 512);
}

int main() {
    cudaDeviceProp card;
    must(cudaGetDeviceProperties(&card, 0), "device");
    int driver, runtime;
    must(cudaDriverGetVersion(&driver), "driver");
    must(cudaRuntimeGetVersion(&runtime), "runtime");
    printf("%s, %d multiprocessors, L2 %d MB; CUDA driver %d.%d, runtime %d.%d\n\n", card.name, card.multiProcessorCount,
           card.l2CacheSize >> 20, driver / 1000, driver % 100 / 10, runtime / 1000, runtime % 100 / 10);
    memory_bound(card.multiProcessorCount);
    products(4096, card.multiProcessorCount);
    products(8192, card.multiProcessorCount);
    attentions();
    convolutions();
    return all_right ? 0 : 1;
}
