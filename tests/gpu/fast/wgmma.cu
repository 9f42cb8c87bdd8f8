// gemm_wgmma: out = a × b by Hopper's instructions for a whole warpgroup (sm_90a).
//
// a: (rows, inner), b: (inner, cols), both of __half; out: (rows, cols) of float; row-major.
// rows is a multiple of 128, cols of 256, inner of 64 and at least 128.
// Blocks of 256 threads (two warpgroups), in one dimension: one for each 128×256 elements of out.
// Dynamic shared memory: WGMMA_SHARED bytes.
//
// A warpgroup multiplies straight from shared memory: no fragments are loaded, and registers hold
// sums only. One multiplication is under way while the next step's is begun.

#include <cuda_fp16.h>

#define WGMMA_ROWS 128
#define WGMMA_COLS 256
#define WGMMA_STEP 64
#define WGMMA_STAGES 4
#define WGMMA_GROUP 8 // rows of tiles that are done together, so that b stays in L2
#define WGMMA_STAGE_BYTES ((WGMMA_ROWS + WGMMA_COLS) * WGMMA_STEP * 2)
#define WGMMA_SHARED (WGMMA_STAGES * WGMMA_STAGE_BYTES)

// What tells the tensor cores where a matrix lies in shared memory, and how: in rows of 128 bytes,
// whose 16-byte chunks are swizzled by the row's last three bits. `leading` and `stride` in bytes.
__device__ unsigned long long wgmma_matrix(unsigned address, unsigned leading, unsigned stride) {
    return (unsigned long long)((address & 0x3ffff) >> 4) |
           (unsigned long long)(leading >> 4) << 16 | (unsigned long long)(stride >> 4) << 32 |
           1ull << 62;
}

// sum (64×256) += a (64×16, along its rows) × b (16×256, along its rows)
__device__ void wgmma(float (&sum)[128], unsigned long long a, unsigned long long b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, "
        "%8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, "
        "%24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, "
        "%40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, "
        "%56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, "
        "%72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, "
        "%88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, "
        "%104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, "
        "%120, %121, %122, %123, %124, %125, %126, %127}, "
        "%128, %129, 1, 1, 1, 0, 1;"
        :
          "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]), "+f"(sum[7]),
          "+f"(sum[8]), "+f"(sum[9]), "+f"(sum[10]), "+f"(sum[11]), "+f"(sum[12]), "+f"(sum[13]), "+f"(sum[14]), "+f"(sum[15]),
          "+f"(sum[16]), "+f"(sum[17]), "+f"(sum[18]), "+f"(sum[19]), "+f"(sum[20]), "+f"(sum[21]), "+f"(sum[22]), "+f"(sum[23]),
          "+f"(sum[24]), "+f"(sum[25]), "+f"(sum[26]), "+f"(sum[27]), "+f"(sum[28]), "+f"(sum[29]), "+f"(sum[30]), "+f"(sum[31]),
          "+f"(sum[32]), "+f"(sum[33]), "+f"(sum[34]), "+f"(sum[35]), "+f"(sum[36]), "+f"(sum[37]), "+f"(sum[38]), "+f"(sum[39]),
          "+f"(sum[40]), "+f"(sum[41]), "+f"(sum[42]), "+f"(sum[43]), "+f"(sum[44]), "+f"(sum[45]), "+f"(sum[46]), "+f"(sum[47]),
          "+f"(sum[48]), "+f"(sum[49]), "+f"(sum[50]), "+f"(sum[51]), "+f"(sum[52]), "+f"(sum[53]), "+f"(sum[54]), "+f"(sum[55]),
          "+f"(sum[56]), "+f"(sum[57]), "+f"(sum[58]), "+f"(sum[59]), "+f"(sum[60]), "+f"(sum[61]), "+f"(sum[62]), "+f"(sum[63]),
          "+f"(sum[64]), "+f"(sum[65]), "+f"(sum[66]), "+f"(sum[67]), "+f"(sum[68]), "+f"(sum[69]), "+f"(sum[70]), "+f"(sum[71]),
          "+f"(sum[72]), "+f"(sum[73]), "+f"(sum[74]), "+f"(sum[75]), "+f"(sum[76]), "+f"(sum[77]), "+f"(sum[78]), "+f"(sum[79]),
          "+f"(sum[80]), "+f"(sum[81]), "+f"(sum[82]), "+f"(sum[83]), "+f"(sum[84]), "+f"(sum[85]), "+f"(sum[86]), "+f"(sum[87]),
          "+f"(sum[88]), "+f"(sum[89]), "+f"(sum[90]), "+f"(sum[91]), "+f"(sum[92]), "+f"(sum[93]), "+f"(sum[94]), "+f"(sum[95]),
          "+f"(sum[96]), "+f"(sum[97]), "+f"(sum[98]), "+f"(sum[99]), "+f"(sum[100]), "+f"(sum[101]), "+f"(sum[102]), "+f"(sum[103]),
          "+f"(sum[104]), "+f"(sum[105]), "+f"(sum[106]), "+f"(sum[107]), "+f"(sum[108]), "+f"(sum[109]), "+f"(sum[110]), "+f"(sum[111]),
          "+f"(sum[112]), "+f"(sum[113]), "+f"(sum[114]), "+f"(sum[115]), "+f"(sum[116]), "+f"(sum[117]), "+f"(sum[118]), "+f"(sum[119]),
          "+f"(sum[120]), "+f"(sum[121]), "+f"(sum[122]), "+f"(sum[123]), "+f"(sum[124]), "+f"(sum[125]), "+f"(sum[126]), "+f"(sum[127])
        : "l"(a), "l"(b));
}

extern "C" __global__ __launch_bounds__(256, 1) void
gemm_wgmma(const __half *a, const __half *b, float *out, int rows, int inner, int cols) {
    extern __shared__ __align__(1024) unsigned char stages[];
    const unsigned base = (unsigned)__cvta_generic_to_shared(stages);
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;

    // Which tile of out: down a group of rows first, then to the next column.
    const int tall = rows / WGMMA_ROWS, wide = cols / WGMMA_COLS;
    const int group = blockIdx.x / (WGMMA_GROUP * wide), rest = blockIdx.x % (WGMMA_GROUP * wide);
    const int height = min(WGMMA_GROUP, tall - group * WGMMA_GROUP);
    const int first_row = (group * WGMMA_GROUP + rest % height) * WGMMA_ROWS;
    const int first_col = rest / height * WGMMA_COLS;

    auto fetch = [&](int step) {
        const unsigned a_tile = base + step % WGMMA_STAGES * WGMMA_STAGE_BYTES;
        const unsigned b_tile = a_tile + WGMMA_ROWS * WGMMA_STEP * 2;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int row = i * 32 + t / 8, chunk = t % 8; // 128 rows of 8 chunks
            unsigned to = a_tile + row * 128 + (chunk ^ (row & 7)) * 16;
            const __half *from = a + (size_t)(first_row + row) * inner + step * WGMMA_STEP + chunk * 8;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
        }
#pragma unroll
        for (int i = 0; i < 8; i++) {
            int row = i * 8 + t / 32, chunk = t % 32; // 64 rows of 32 chunks, in four columns of 8
            unsigned to = b_tile + chunk / 8 * 8192 + row * 128 + (chunk % 8 ^ (row & 7)) * 16;
            const __half *from = b + (size_t)(step * WGMMA_STEP + row) * cols + first_col + chunk * 8;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
        }
    };

    const int steps = inner / WGMMA_STEP;
    for (int s = 0; s < 2; s++) {
        fetch(s);
        asm volatile("cp.async.commit_group;");
    }

    float sum[128];
#pragma unroll
    for (int i = 0; i < 128; i++) {
        sum[i] = 0;
    }
    for (int s = 0; s < steps; s++) {
        // This step's tiles have arrived, for everybody, and the tensor cores may see them. (A
        // fence for all memory, not for shared alone, would wait for the steps to come as well: it
        // halves the speed.)
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();

        const unsigned a_tile = base + s % WGMMA_STAGES * WGMMA_STAGE_BYTES + warp / 4 * 64 * 128;
        const unsigned b_tile = base + s % WGMMA_STAGES * WGMMA_STAGE_BYTES + WGMMA_ROWS * WGMMA_STEP * 2;
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < WGMMA_STEP / 16; k++) {
            wgmma(sum, wgmma_matrix(a_tile + k * 32, 16, 1024),
                  wgmma_matrix(b_tile + k * 2048, 8192, 1024));
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");

        // Past the barrier, everybody has finished the step before the last: its room is free.
        if (s + 2 < steps) {
            fetch(s + 2);
        }
        asm volatile("cp.async.commit_group;");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");

#pragma unroll
    for (int j = 0; j < 32; j++) {
        size_t row = first_row + warp * 16 + lane / 4;
        int col = first_col + j * 8 + lane % 4 * 2;
        *(float2 *)(out + row * cols + col) = make_float2(sum[4 * j], sum[4 * j + 1]);
        *(float2 *)(out + (row + 8) * cols + col) = make_float2(sum[4 * j + 2], sum[4 * j + 3]);
    }
}
