// cuRAND in kernels: the generators XORWOW and Philox4x32-10, with the numbers that NVIDIA's have.
#pragma once
#define CURAND_KERNEL_H_
#include <cuda_runtime.h>
#include <gpulearn/xorwow_jumps.h>

// Marsaglia, "Xorshift RNGs", 2003: xorwow.
struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;

// Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE;
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

namespace gpulearn_curand {

inline __device__ unsigned xorwow_step(unsigned (&v)[5]) {
    unsigned t = v[0] ^ (v[0] >> 2);
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    return v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

// Goes `n` times as far as row `row` of the table does.
inline __device__ void xorwow_jump(unsigned long long n, int row, unsigned (&v)[5]) {
    for (; n != 0; n >>= 1, row++) {
        if ((n & 1) == 0) continue;
        unsigned sum[5] = {};
        for (int word = 0; word < 5; word++) {
            unsigned coefficients = xorwow_jumps[row][word];
            for (int bit = 0; bit < 32; bit++, coefficients >>= 1) {
                unsigned mask = 0u - (coefficients & 1);
                for (int i = 0; i < 5; i++) sum[i] ^= v[i] & mask;
                xorwow_step(v);
            }
        }
        for (int i = 0; i < 5; i++) v[i] = sum[i];
    }
}

inline __device__ uint4 philox_round(uint4 c, uint2 key) {
    unsigned high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
    unsigned high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
    return make_uint4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
}

inline __device__ uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; round++) {
        counter = philox_round(counter, key);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return counter;
}

// Adds to the two words of a counter.
inline __device__ void add(unsigned &low, unsigned &high, unsigned long long n) {
    unsigned long long sum = ((unsigned long long)high << 32 | low) + n;
    low = (unsigned)sum;
    high = (unsigned)(sum >> 32);
}

inline __device__ void philox_advance(curandStatePhilox4_32_10 *state, unsigned long long n) {
    unsigned high = state->ctr.y;
    bool carry = ((unsigned long long)high << 32 | state->ctr.x) + n < n;
    add(state->ctr.x, state->ctr.y, n);
    if (carry) add(state->ctr.z, state->ctr.w, 1);
    state->output = philox(state->ctr, state->key);
}

// A number above 0 and up to 1 from 32 random bits, and one from 53.
inline __device__ float uniform(unsigned x) { return x * 2.3283064e-10f + (2.3283064e-10f / 2.0f); }
inline __device__ double uniform(unsigned x, unsigned y) {
    unsigned long long bits = x ^ (unsigned long long)y << 21;
    return bits * 1.1102230246251565e-16 + (1.1102230246251565e-16 / 2.0);
}

// Two normally distributed numbers from two, or four, random words: Box and Muller, 1958.
inline __device__ float2 normal(unsigned x, unsigned y) {
    const float turn = 2.3283064e-10f * 6.2831855f;
    float u = x * 2.3283064e-10f + (2.3283064e-10f / 2.0f), v = y * turn + turn / 2.0f;
    float radius = sqrtf(-2.0f * logf(u)), s, c;
    __sincosf(v, &s, &c);
    return make_float2(s * radius, c * radius);
}
inline __device__ double2 normal(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
    unsigned long long bits = y0 ^ (unsigned long long)y1 << 21;
    double v = bits * (1.1102230246251565e-16 * 2.0) + 1.1102230246251565e-16;
    double radius = sqrt(-2.0 * log(uniform(x0, x1))), s, c;
    sincospi(v, &s, &c);
    return make_double2(s * radius, c * radius);
}
inline __device__ float2 log_of(float2 v, float mean, float stddev) {
    return make_float2(expf(mean + stddev * v.x), expf(mean + stddev * v.y));
}
inline __device__ double2 log_of(double2 v, double mean, double stddev) {
    return make_double2(exp(mean + stddev * v.x), exp(mean + stddev * v.y));
}

// Which kind of number the second one of a pair, kept for the next call, is.
enum kept { nothing, normals, log_normals };

template <class N, class Pair>
inline __device__ N one_of(int &flag, N &extra, kept kind, Pair pair) {
    if (flag == kind) {
        flag = nothing;
        return extra;
    }
    auto both = pair();
    extra = both.y;
    flag = kind;
    return both.x;
}

} // namespace gpulearn_curand

inline __device__ void skipahead(unsigned long long n, curandStateXORWOW_t *state) {
    gpulearn_curand::xorwow_jump(n, 0, state->v);
    state->d += 362437u * (unsigned)n;
}
inline __device__ void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state) {
    gpulearn_curand::xorwow_jump(n, 67, state->v);
}
inline __device__ void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                   curandStateXORWOW_t *state) {
    unsigned low = 1099087573u * ((unsigned)seed ^ 0xaad26b49u);
    unsigned high = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
    state->d = 6615241u + high + low;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
    state->boxmuller_flag = state->boxmuller_flag_double = gpulearn_curand::nothing;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
}
inline __device__ unsigned int curand(curandStateXORWOW_t *state) {
    state->d += 362437u;
    return gpulearn_curand::xorwow_step(state->v) + state->d;
}

inline __device__ void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state) {
    state->STATE += n & 3;
    n /= 4;
    if (state->STATE > 3) {
        state->STATE -= 4;
        n++;
    }
    gpulearn_curand::philox_advance(state, n);
}
inline __device__ void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state) {
    gpulearn_curand::add(state->ctr.z, state->ctr.w, n);
    state->output = gpulearn_curand::philox(state->ctr, state->key);
}
inline __device__ void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                   curandStatePhilox4_32_10_t *state) {
    state->ctr = make_uint4(0, 0, (unsigned)subsequence, (unsigned)(subsequence >> 32));
    state->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    state->STATE = 0;
    skipahead(offset, state);
    state->boxmuller_flag = state->boxmuller_flag_double = gpulearn_curand::nothing;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
}
inline __device__ unsigned int curand(curandStatePhilox4_32_10_t *state) {
    const uint4 &words = state->output;
    unsigned word = state->STATE == 0 ? words.x : state->STATE == 1 ? words.y : state->STATE == 2 ? words.z : words.w;
    if (++state->STATE == 4) {
        state->STATE = 0;
        gpulearn_curand::philox_advance(state, 1);
    }
    return word;
}
inline __device__ uint4 curand4(curandStatePhilox4_32_10_t *state) {
    uint4 a = state->output;
    gpulearn_curand::philox_advance(state, 1);
    uint4 b = state->output;
    switch (state->STATE) {
    case 1: return make_uint4(a.y, a.z, a.w, b.x);
    case 2: return make_uint4(a.z, a.w, b.x, b.y);
    case 3: return make_uint4(a.w, b.x, b.y, b.z);
    default: return a;
    }
}

template <class State>
inline __device__ float curand_uniform(State *state) {
    return gpulearn_curand::uniform(curand(state));
}
inline __device__ double curand_uniform_double(curandStateXORWOW_t *state) {
    unsigned x = curand(state);
    return gpulearn_curand::uniform(x, curand(state));
}
// Of 32 bits, as NVIDIA's.
inline __device__ double curand_uniform_double(curandStatePhilox4_32_10_t *state) {
    return curand(state) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
inline __device__ float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
    using gpulearn_curand::uniform;
    uint4 x = curand4(state);
    return make_float4(uniform(x.x), uniform(x.y), uniform(x.z), uniform(x.w));
}
inline __device__ double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state) {
    using gpulearn_curand::uniform;
    uint4 x = curand4(state);
    return make_double2(uniform(x.x, x.y), uniform(x.z, x.w));
}

template <class State>
inline __device__ float2 curand_normal2(State *state) {
    unsigned x = curand(state);
    return gpulearn_curand::normal(x, curand(state));
}
inline __device__ double2 curand_normal2_double(curandStateXORWOW_t *state) {
    unsigned x0 = curand(state), x1 = curand(state), y0 = curand(state);
    return gpulearn_curand::normal(x0, x1, y0, curand(state));
}
inline __device__ double2 curand_normal2_double(curandStatePhilox4_32_10_t *state) {
    uint4 x = curand4(state);
    return gpulearn_curand::normal(x.x, x.y, x.z, x.w);
}
inline __device__ float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
    uint4 x = curand4(state);
    float2 a = gpulearn_curand::normal(x.x, x.y), b = gpulearn_curand::normal(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
template <class State>
inline __device__ float curand_normal(State *state) {
    return gpulearn_curand::one_of(state->boxmuller_flag, state->boxmuller_extra, gpulearn_curand::normals,
                                   [=] { return curand_normal2(state); });
}
template <class State>
inline __device__ double curand_normal_double(State *state) {
    return gpulearn_curand::one_of(state->boxmuller_flag_double, state->boxmuller_extra_double, gpulearn_curand::normals,
                                   [=] { return curand_normal2_double(state); });
}

template <class State>
inline __device__ float2 curand_log_normal2(State *state, float mean, float stddev) {
    return gpulearn_curand::log_of(curand_normal2(state), mean, stddev);
}
template <class State>
inline __device__ double2 curand_log_normal2_double(State *state, double mean, double stddev) {
    return gpulearn_curand::log_of(curand_normal2_double(state), mean, stddev);
}
inline __device__ float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float stddev) {
    float4 v = curand_normal4(state);
    float2 a = gpulearn_curand::log_of(make_float2(v.x, v.y), mean, stddev);
    float2 b = gpulearn_curand::log_of(make_float2(v.z, v.w), mean, stddev);
    return make_float4(a.x, a.y, b.x, b.y);
}
template <class State>
inline __device__ float curand_log_normal(State *state, float mean, float stddev) {
    return gpulearn_curand::one_of(state->boxmuller_flag, state->boxmuller_extra, gpulearn_curand::log_normals,
                                   [=] { return curand_log_normal2(state, mean, stddev); });
}
template <class State>
inline __device__ double curand_log_normal_double(State *state, double mean, double stddev) {
    return gpulearn_curand::one_of(state->boxmuller_flag_double, state->boxmuller_extra_double,
                                   gpulearn_curand::log_normals,
                                   [=] { return curand_log_normal2_double(state, mean, stddev); });
}
