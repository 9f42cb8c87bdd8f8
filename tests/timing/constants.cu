// Kernels that each show one constant of a GPU; constants.py says what they are launched with.

#define LANE (threadIdx.x % 32)
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS (gridDim.x * blockDim.x)

extern "C" __global__ void empty(unsigned *p, int n, int m, unsigned *out) {}

// Cycles and nanoseconds of the same loop.
extern "C" __global__ void clocks(unsigned *p, int n, int m, unsigned *out) {
    unsigned long long t0, t1, c0 = clock64();
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t0));
    float x = n;
    for (int k = 0; k < n; k++) x = x * 0.999f + 0.001f;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t1));
    out[0] = clock64() - c0;
    out[1] = t1 - t0;
    out[2] = x;
}

// A list followed by one thread: from the first-level cache where there is room, or past it.
extern "C" __global__ void chase(unsigned *p, int n, int m, unsigned *out) {
    unsigned at = 0;
    for (int k = 0; k < m; k++) at = __ldca(p + at);
    unsigned long long start = clock64();
    for (int k = 0; k < n; k++) at = __ldca(p + at);
    out[0] = (clock64() - start) / n;
    out[1] = at;
}
extern "C" __global__ void chase_far(unsigned *p, int n, int m, unsigned *out) {
    unsigned at = 0;
    for (int k = 0; k < m; k++) at = __ldcg(p + at);
    unsigned long long start = clock64();
    for (int k = 0; k < n; k++) at = __ldcg(p + at);
    out[0] = (clock64() - start) / n;
    out[1] = at;
}

// Chains of one warp: cycles of a step, times ten.
#define CHAIN(name, type, init, step)                                                        \
    extern "C" __global__ void name(unsigned *p, int n, int m, unsigned *out) {              \
        __shared__ unsigned s[1024];                                                         \
        s[threadIdx.x] = threadIdx.x;                                                        \
        __syncthreads();                                                                     \
        type x = (type)init;                                                                 \
        for (int k = 0; k < 32; k++) { step; }                                               \
        unsigned long long start = clock64();                                                \
        _Pragma("unroll 32") for (int k = 0; k < n; k++) { step; }                           \
        unsigned long long end = clock64();                                                  \
        if (threadIdx.x == 0) out[0] = (end - start) * 10 / n;                               \
        out[1 + threadIdx.x] = (unsigned)x;                                                  \
    }
CHAIN(fma_f32, float, m, x = x * 0.999f + 0.001f)
CHAIN(add_f32, float, m, x = x + 0.001f)
CHAIN(add_int, unsigned, m, x = x + (x >> 31))
CHAIN(mad_int, unsigned, m, x = x * 5 + 1)
CHAIN(logic, unsigned, m, x = (x ^ k) + m)
CHAIN(fma_f64, double, m, x = x * 0.999 + 0.001)
CHAIN(exponential, float, m, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x)))
CHAIN(reciprocal, float, m, asm volatile("rcp.approx.ftz.f32 %0, %0;" : "+f"(x)))
CHAIN(convert, float, m, asm volatile("{.reg .s32 i; cvt.rzi.s32.f32 i, %0; cvt.rn.f32.s32 %0, i;}" : "+f"(x)))
CHAIN(shuffle, unsigned, threadIdx.x, x = __shfl_xor_sync(0xffffffff, x, 1))
CHAIN(shared_load, unsigned, threadIdx.x, x = s[x])
CHAIN(shared_atomic, unsigned, threadIdx.x, x = atomicAdd(&s[x % 1024], 0))
CHAIN(global_atomic, unsigned, threadIdx.x, x = atomicAdd(&p[x % 32], 0) % 32)
CHAIN(divide_f32, float, m, x = 3.0f / x + 1.0f)
CHAIN(divide_int, unsigned, m, x = 1000000007u / (x % 64 + 1))
CHAIN(sine, float, m, x = sinf(x) + 0.5f)
CHAIN(exp_f32, float, m, x = expf(x) * 0.1f)
CHAIN(barrier, unsigned, m, __syncthreads())
CHAIN(divergent, unsigned, threadIdx.x, if ((x & 1) == 0) asm volatile("add.u32 %0, %0, 2;" : "+r"(x)); else asm volatile("add.u32 %0, %0, 4;" : "+r"(x)))

// Throughput of arithmetic: four chains a thread.
#define FLOW(name, type, step)                                                               \
    extern "C" __global__ void name(unsigned *p, int n, int m, unsigned *out) {              \
        type v[4];                                                                           \
        for (int j = 0; j < 4; j++) v[j] = (type)(m + j);                                    \
        _Pragma("unroll 16") for (int k = 0; k < n; k++)                                     \
            _Pragma("unroll") for (int j = 0; j < 4; j++) { type &x = v[j]; step; }          \
        out[THREAD] = (unsigned)(v[0] + v[1] + v[2] + v[3]);                                 \
    }
FLOW(flow_fma_f32, float, x = x * 0.999f + 0.001f)
FLOW(flow_fma_f64, double, x = x * 0.999 + 0.001)
FLOW(flow_exponential, float, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x)))
FLOW(flow_convert, float, asm volatile("{.reg .s32 i; cvt.rzi.s32.f32 i, %0; cvt.rn.f32.s32 %0, i;}" : "+f"(x)))
FLOW(flow_divide_f32, float, x = 3.0f / x + 1.0f)
FLOW(flow_divide_int, unsigned, x = 1000000007u / (x % 64 + 1))
FLOW(flow_sine, float, x = sinf(x) + 0.5f)
FLOW(flow_exp_f32, float, x = expf(x) * 0.1f)
FLOW(flow_mad_int, unsigned, x = x * 5 + 1)
FLOW(flow_shuffle, unsigned, x = __shfl_xor_sync(0xffffffff, x, 1))

// Loads that the first-level cache has: lanes m floats apart, n rounds, 8 of them a round.
extern "C" __global__ void near_loads(unsigned *p, int n, int m, unsigned *out) {
    unsigned warp = threadIdx.x / 32, sum = 0, at = (LANE * m + warp * 32) % 4096;
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int j = 0; j < 8; j++) sum += __ldca(p + at + j * 1024);
        at = (at + 32) % 4096;
    }
    out[THREAD] = sum;
}
extern "C" __global__ void near_vectors(unsigned *p, int n, int m, unsigned *out) {
    unsigned warp = threadIdx.x / 32, sum = 0, at = (LANE * m + warp * 32) % 4096;
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int j = 0; j < 8; j++) {
            uint4 v = __ldca((uint4 *)p + (at + j * 1024) / 4);
            sum += v.x + v.y + v.z + v.w;
        }
        at = (at + 32) % 4096;
    }
    out[THREAD] = sum;
}

// Shared memory: words, lanes m words apart.
extern "C" __global__ void shared_loads(unsigned *p, int n, int m, unsigned *out) {
    __shared__ unsigned s[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = i;
    __syncthreads();
    unsigned sum = 0, at = (LANE * m + threadIdx.x / 32) % 1024;
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int j = 0; j < 8; j++) sum += *(volatile unsigned *)&s[(at + j * 256) % 4096];
    }
    out[THREAD] = sum;
}
#define SHARED_ATOMICS(name, type)                                                           \
    extern "C" __global__ void name(unsigned *p, int n, int m, unsigned *out) {              \
        __shared__ type s[4096];                                                             \
        for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = 0;                       \
        __syncthreads();                                                                     \
        unsigned at = threadIdx.x * 2654435761u;                                             \
        for (int k = 0; k < n; k++) {                                                        \
            atomicAdd(&s[m > 0 ? (at >> 16) & (m - 1) : threadIdx.x & (-m - 1)], (type)1);               \
            at = at * 1664525u + 1013904223u;                                                \
        }                                                                                    \
        __syncthreads();                                                                     \
        out[THREAD] = (unsigned)s[threadIdx.x];                                              \
    }
SHARED_ATOMICS(shared_atomics_int, int)
SHARED_ATOMICS(shared_atomics_float, float)

// Every thread n atomics: at its own of m places, or (m below 0) at random ones of -m.
#define ATOMICS(name, type)                                                                  \
    extern "C" __global__ void name(unsigned *p, int n, int m, unsigned *out) {              \
        unsigned at = THREAD;                                                                \
        for (int k = 0; k < n; k++) {                                                        \
            unsigned random = (at * 2654435761u) ^ (at * 2654435761u >> 15);                 \
            atomicAdd((type *)p + (m > 0 ? at & (m - 1) : random & (-m - 1)), (type)1);                  \
            at += THREADS;                                                                   \
        }                                                                                    \
    }
ATOMICS(atomics_int, int)
ATOMICS(atomics_float, float)

// Reads of m MiB over and over, n times 16 bytes a thread.
extern "C" __global__ void far_reads(uint4 *p, int n, int m, unsigned *out) {
    unsigned sum = 0, all = m * 65536u, at = THREAD;
#pragma unroll 8
    for (int k = 0; k < n; k++) {
        uint4 v = __ldcg(p + at);
        sum += v.x + v.y + v.z + v.w;
        if ((at += THREADS) >= all) at -= all;
    }
    out[THREAD] = sum;
}
extern "C" __global__ void far_words(unsigned *p, int n, int m, unsigned *out) {
    unsigned sum = 0, all = m * 262144u, at = THREAD;
#pragma unroll 8
    for (int k = 0; k < n; k++) {
        sum += __ldcg(p + at);
        if ((at += THREADS) >= all) at -= all;
    }
    out[THREAD] = sum;
}
// A word of every sector, lanes a sector or a line apart, in order and from all over.
extern "C" __global__ void far_sectors(unsigned *p, int n, int m, unsigned *out) {
    unsigned sum = 0, all = m * 262144u, at = THREAD * 8;
#pragma unroll 8
    for (int k = 0; k < n; k++) {
        sum += __ldcg(p + at);
        if ((at += THREADS * 8) >= all) at -= all;
    }
    out[THREAD] = sum;
}
extern "C" __global__ void far_gathers(unsigned *p, int n, int m, unsigned *out) {
    unsigned sum = 0, all = m * 262144u, at = THREAD;
#pragma unroll 8
    for (int k = 0; k < n; k++) {
        sum += __ldcg(p + (((at * 2654435761u) ^ (at * 2654435761u >> 15)) & (all - 1)));
        at += THREADS;
    }
    out[THREAD] = sum;
}
extern "C" __global__ void far_writes(unsigned *p, int n, int m, unsigned *out) {
    unsigned all = m * 262144u, at = THREAD;
    for (int k = 0; k < n; k++) {
        p[at] = k;
        if ((at += THREADS) >= all) at -= all;
    }
}
extern "C" __global__ void far_vector_writes(uint4 *p, int n, int m, unsigned *out) {
    unsigned all = m * 65536u, at = THREAD;
    for (int k = 0; k < n; k++) {
        p[at] = make_uint4(k, k, k, k);
        if ((at += THREADS) >= all) at -= all;
    }
}
// A word of every sector.
extern "C" __global__ void far_part_writes(unsigned *p, int n, int m, unsigned *out) {
    unsigned all = m * 262144u, at = THREAD * 8;
    for (int k = 0; k < n; k++) {
        p[at] = k;
        if ((at += THREADS * 8) >= all) at -= all;
    }
}
// Lanes a row of 8 KiB apart, warps neighbours: as a transpose writes.
extern "C" __global__ void far_column_writes(unsigned *p, int n, int m, unsigned *out) {
    unsigned row = LANE, column = THREAD / 32, rows = m * 128;
    for (int k = 0; k < n; k++) {
        unsigned down = (column / 2048 * 32 + row) % rows;
        p[down * 2048 + column % 2048] = k;
        column += THREADS / 32;
    }
}
extern "C" __global__ void far_column_reads(unsigned *p, int n, int m, unsigned *out) {
    unsigned row = LANE, column = THREAD / 32, rows = m * 128, sum = 0;
#pragma unroll 8
    for (int k = 0; k < n; k++) {
        unsigned down = (column / 2048 * 32 + row) % rows;
        sum += __ldcg(p + down * 2048 + column % 2048);
        column += THREADS / 32;
    }
    out[THREAD] = sum;
}
extern "C" __global__ void copies(uint4 *p, int n, int m, unsigned *out) {
    unsigned all = m * 65536u, at = THREAD;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        p[all + at] = p[at];
        if ((at += THREADS) >= all) at -= all;
    }
}

// n rounds of threads that leave a branch by m ways.
extern "C" __global__ void local_words(unsigned *p, int n, int m, unsigned *out) {
    unsigned s[32];
    for (int k = 0; k < 32; k++) s[k] = k + m;
    unsigned at = m, sum = 0;
    for (int k = 0; k < n; k++) {
        s[(at + k) % 32] += k;
        sum += s[(at * 7 + k * 3) % 32];
    }
    out[THREAD] = sum + s[m % 32];
}
