// How near the lessons' kernels come to what a card can do.
//
//     nvcc -O3 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -o fast tests/gpu/fast.cu -lcublas && ./fast
//
// (wgmma is for Hopper only). The kernels are the lessons' own files, included below; here they
// are launched on large matrices and arrays. Prints the tables of fast.md. Ends with status 1 if a
// result is wrong.
//
// Each time is the median of many launches, each between two events, after a warm-up. Two sets of
// buffers take turns, each many times as large as the L2 cache, so no launch finds its input there.
// "Copy" is the faster of a plain copy kernel and cudaMemcpy on the device, both counted as bytes
// read and bytes written. cuBLAS multiplies floats as floats (no TF32), and halves with f32 sums.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <cublas_v2.h>
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
#define tiles warpgroup_tiles // dynamic shared memory: one type for each name
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
#include "fast/tensor-cores.cu"
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

// Median time of a launch, in µs. `launch` gets the number of the set of buffers to use.
static double median_us(const std::function<void(int)> &launch, int launches = 60) {
    cudaEvent_t begin, end;
    must(cudaEventCreate(&begin), "event");
    must(cudaEventCreate(&end), "event");
    std::vector<float> times;
    for (int i = 0; i < launches + 10; i++) {
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

static float *floats(size_t n) {
    float *p;
    must(cudaMalloc(&p, n * sizeof(float)), "memory");
    must(cudaMemset(p, 0xff, n * sizeof(float)), "memory");
    return p;
}

static std::vector<float> fetched(const float *from, size_t n) {
    std::vector<float> to(n);
    must(cudaMemcpy(to.data(), from, n * sizeof(float), cudaMemcpyDeviceToHost), "copy back");
    return to;
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
    {
        const int rows = 8192, cols = 16384;
        double us = median_us([&](int s) {
            transpose_tiled::transpose<<<dim3(cols / 32, rows / 32), dim3(32, 8)>>>(in[s], out[s], rows, cols);
        });
        std::vector<float> x = fetched(in[0], n), y = fetched(out[0], n);
        bool right = true;
        for (int r = 0; r < rows; r += 7) {
            for (int c = 0; c < cols; c++) {
                right = right && y[(size_t)c * rows + r] == x[(size_t)r * cols + c];
            }
        }
        memory_row("transpose-tiled", "32×8 threads for 32×32", 2 * array, us, verdict(right));
    }
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
        const int tiles = (n + 4095) / 4096;
        scan_array::Note *notes = (scan_array::Note *)spare;
        int *ticket = (int *)(spare + (1 << 19));
        auto scan = [&](int s) {
            scan_array::clear<<<(tiles + 255) / 256, 256>>>(notes, ticket, tiles);
            scan_array::scan<<<tiles, 256>>>((int *)in[s], (int *)out[s], notes, ticket, n);
        };
        double us = median_us(scan);
        scan(0);
        std::vector<float> x = fetched(in[0], n), y = fetched(out[0], n);
        const int *from = (const int *)x.data(), *got = (const int *)y.data();
        unsigned sum = 0;
        bool right = true;
        for (int i = 0; i < n; i++) {
            sum += (unsigned)from[i];
            right = right && (unsigned)got[i] == sum;
        }
        memory_row("scan-array", "clear, then a block of 256 for 4096", 2 * array, us, verdict(right));
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

static void products(int size) {
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
    row("fast/wgmma.cu, f16", library, 30, [&] {
        gemm_wgmma<<<size / WGMMA_ROWS * (size / WGMMA_COLS), 256, WGMMA_SHARED>>>(ha, hb, out, size, size, size);
    });
    cublasDestroy(blas);
    for (void *p : {(void *)a, (void *)b, (void *)out, (void *)want, (void *)ha, (void *)hb}) {
        cudaFree(p);
    }
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
    products(4096);
    products(8192);
    return all_right ? 0 : 1;
}
