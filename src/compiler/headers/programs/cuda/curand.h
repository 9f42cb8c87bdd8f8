// cuRAND from the host: arrays of numbers by XORWOW and Philox4x32-10, in the order of NVIDIA's library.
#pragma once
#define CURAND_H_
#include <curand_kernel.h>

#define CURAND_VER_MAJOR 10
#define CURAND_VER_MINOR 3
#define CURAND_VER_PATCH 10
#define CURAND_VERSION 10310

typedef enum curandStatus {
    CURAND_STATUS_SUCCESS = 0,
    CURAND_STATUS_VERSION_MISMATCH = 100,
    CURAND_STATUS_NOT_INITIALIZED = 101,
    CURAND_STATUS_ALLOCATION_FAILED = 102,
    CURAND_STATUS_TYPE_ERROR = 103,
    CURAND_STATUS_OUT_OF_RANGE = 104,
    CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
    CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
    CURAND_STATUS_LAUNCH_FAILURE = 201,
    CURAND_STATUS_PREEXISTING_FAILURE = 202,
    CURAND_STATUS_INITIALIZATION_FAILED = 203,
    CURAND_STATUS_ARCH_MISMATCH = 204,
    CURAND_STATUS_INTERNAL_ERROR = 999
} curandStatus_t;

// Only the generators that there are.
typedef enum curandRngType {
    CURAND_RNG_PSEUDO_DEFAULT = 100,
    CURAND_RNG_PSEUDO_XORWOW = 101,
    CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161
} curandRngType_t;

typedef enum curandOrdering {
    CURAND_ORDERING_PSEUDO_BEST = 100,
    CURAND_ORDERING_PSEUDO_DEFAULT = 101,
    CURAND_ORDERING_PSEUDO_LEGACY = 103
} curandOrdering_t;

struct curandGenerator_st {
    curandRngType_t type;
    unsigned long long seed = 0;
    // How many numbers of the sequence are behind; of XORWOW, how many turns of its subsequences.
    unsigned long long position = 0;
    cudaStream_t stream = nullptr;
    // The states of the subsequences, once they are seeded.
    void *states = nullptr;
    bool is_seeded = false;
};
typedef struct curandGenerator_st *curandGenerator_t;

extern "C" int __gpulearn_curand_refuses(const char *function, int status);

namespace gpulearn_curand {

// Returns the status of a call, and tells of one that is an error.
inline curandStatus_t told(const char *function, curandStatus_t status) {
    if (status == CURAND_STATUS_SUCCESS) return status;
    return static_cast<curandStatus_t>(__gpulearn_curand_refuses(function, status));
}

constexpr unsigned block_threads = 256;

// Numbers come from subsequences in turn. XORWOW's make one number a turn, or a pair of normally distributed ones, and
// only whole turns; Philox's make four, and where an array ends within a turn, the next one begins with its rest.
template <class State>
struct generator;
template <>
struct generator<curandStateXORWOW> {
    static constexpr unsigned subsequences = 4096, numbers = 1, normal_numbers = 2;
    static constexpr bool whole_turns = true;
};
template <>
struct generator<curandStatePhilox4_32_10> {
    static constexpr unsigned subsequences = 65536, numbers = 4, normal_numbers = 4;
    static constexpr bool whole_turns = false;
};

template <class State>
__global__ void seed_subsequences(State *states, unsigned long long seed, unsigned long long position) {
    using its = generator<State>;
    unsigned subsequence = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long turns = (position / its::numbers + its::subsequences - 1 - subsequence) / its::subsequences;
    curand_init(seed, subsequence, turns * its::numbers, &states[subsequence]);
}

// Makes `n` numbers from the one with index `first` on, `numbers` a turn.
template <unsigned numbers, class State, class T, class Draw>
__global__ void draw_in_turn(State *states, unsigned long long first, size_t n, T *out, Draw draw) {
    constexpr unsigned subsequences = generator<State>::subsequences;
    unsigned subsequence = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long turn = first / numbers, end = first + n;
    turn += (subsequence - turn) % subsequences;
    if (turn * numbers >= end) return;
    State state = states[subsequence], after_whole_turns = state;
    for (; turn * numbers < end; turn += subsequences) {
        T made[numbers];
        draw(state, made);
        for (unsigned i = 0; i < numbers; i++) {
            unsigned long long number = turn * numbers + i;
            if (number >= first && number < end) out[number - first] = made[i];
        }
        if ((turn + 1) * numbers <= end) after_whole_turns = state;
    }
    states[subsequence] = after_whole_turns;
}

struct words {
    __device__ void operator()(curandStateXORWOW &state, unsigned (&out)[1]) const { out[0] = curand(&state); }
    __device__ void operator()(curandStatePhilox4_32_10 &state, unsigned (&out)[4]) const {
        uint4 x = curand4(&state);
        out[0] = x.x, out[1] = x.y, out[2] = x.z, out[3] = x.w;
    }
};
struct uniform_floats {
    __device__ void operator()(curandStateXORWOW &state, float (&out)[1]) const { out[0] = curand_uniform(&state); }
    __device__ void operator()(curandStatePhilox4_32_10 &state, float (&out)[4]) const {
        float4 x = curand_uniform4(&state);
        out[0] = x.x, out[1] = x.y, out[2] = x.z, out[3] = x.w;
    }
};
struct uniform_doubles {
    __device__ void operator()(curandStateXORWOW &state, double (&out)[1]) const {
        out[0] = curand_uniform_double(&state);
    }
    __device__ void operator()(curandStatePhilox4_32_10 &state, double (&out)[4]) const {
        double2 a = curand_uniform2_double(&state), b = curand_uniform2_double(&state);
        out[0] = a.x, out[1] = a.y, out[2] = b.x, out[3] = b.y;
    }
};
// Normally distributed numbers, or their exponentials.
template <class T, bool exponential>
struct normal_numbers {
    T mean, stddev;
    template <class State>
    __device__ void pair(State &state, T *out) const {
        T x, y;
        if constexpr (sizeof(T) == sizeof(float)) {
            float2 v = curand_normal2(&state);
            x = v.x, y = v.y;
        } else {
            double2 v = curand_normal2_double(&state);
            x = v.x, y = v.y;
        }
        out[0] = mean + stddev * x, out[1] = mean + stddev * y;
        if constexpr (exponential) out[0] = exp(out[0]), out[1] = exp(out[1]);
    }
    __device__ void operator()(curandStateXORWOW &state, T (&out)[2]) const { pair(state, out); }
    __device__ void operator()(curandStatePhilox4_32_10 &state, T (&out)[4]) const {
        pair(state, out);
        pair(state, out + 2);
    }
};

template <class State>
curandStatus_t seed(curandGenerator_t g) {
    if (g->is_seeded) return CURAND_STATUS_SUCCESS;
    constexpr unsigned subsequences = generator<State>::subsequences;
    if (g->states == nullptr && cudaMalloc(&g->states, subsequences * sizeof(State)) != cudaSuccess)
        return CURAND_STATUS_ALLOCATION_FAILED;
    seed_subsequences<<<subsequences / block_threads, block_threads, 0, g->stream>>>((State *)g->states, g->seed,
                                                                                      g->position);
    g->is_seeded = true;
    return cudaPeekAtLastError() == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

template <class State, unsigned numbers, class T, class Draw>
curandStatus_t generate_by(curandGenerator_t g, T *out, size_t n, Draw draw) {
    using its = generator<State>;
    if (its::whole_turns && n % numbers != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    curandStatus_t seeded = seed<State>(g);
    if (seeded != CURAND_STATUS_SUCCESS || n == 0) return seeded;
    unsigned long long first = its::whole_turns ? g->position * numbers : g->position;
    g->position += its::whole_turns ? n / numbers : n;
    draw_in_turn<numbers><<<its::subsequences / block_threads, block_threads, 0, g->stream>>>((State *)g->states, first,
                                                                                             n, out, draw);
    return cudaPeekAtLastError() == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

template <bool normal, class T, class Draw>
curandStatus_t generate(curandGenerator_t g, T *out, size_t n, Draw draw) {
    if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (cudaPeekAtLastError() != cudaSuccess) return CURAND_STATUS_PREEXISTING_FAILURE;
    using xorwow = generator<curandStateXORWOW>;
    if (g->type == CURAND_RNG_PSEUDO_PHILOX4_32_10)
        return generate_by<curandStatePhilox4_32_10, generator<curandStatePhilox4_32_10>::numbers>(g, out, n, draw);
    return generate_by<curandStateXORWOW, normal ? xorwow::normal_numbers : xorwow::numbers>(g, out, n, draw);
}

} // namespace gpulearn_curand

inline curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    *generator = new curandGenerator_st{type};
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    cudaFree(generator->states);
    delete generator;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetVersion(int *version) {
    if (version == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    generator->seed = seed;
    generator->position = 0;
    generator->is_seeded = false;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    generator->position = offset;
    generator->is_seeded = false;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t) {
    return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    return generator->type == CURAND_RNG_PSEUDO_PHILOX4_32_10
               ? gpulearn_curand::seed<curandStatePhilox4_32_10>(generator)
               : gpulearn_curand::seed<curandStateXORWOW>(generator);
}

inline curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *out, size_t n) {
    return gpulearn_curand::told(
        __func__, gpulearn_curand::generate<false>(
                      generator, out, n, gpulearn_curand::words{}));
}
inline curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *out, size_t n) {
    return gpulearn_curand::told(
        __func__, gpulearn_curand::generate<false>(
                      generator, out, n, gpulearn_curand::uniform_floats{}));
}
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *out, size_t n) {
    return gpulearn_curand::told(
        __func__, gpulearn_curand::generate<false>(
                      generator, out, n, gpulearn_curand::uniform_doubles{}));
}
inline curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *out, size_t n, float mean, float stddev) {
    return gpulearn_curand::told(
        __func__, gpulearn_curand::generate<true>(
                      generator, out, n, gpulearn_curand::normal_numbers<float, false>{mean, stddev}));
}
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *out, size_t n, double mean,
                                                 double stddev) {
    return gpulearn_curand::told(
        __func__, gpulearn_curand::generate<true>(
                      generator, out, n, gpulearn_curand::normal_numbers<double, false>{mean, stddev}));
}
inline curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *out, size_t n, float mean,
                                              float stddev) {
    return gpulearn_curand::told(
        __func__, gpulearn_curand::generate<true>(
                      generator, out, n, gpulearn_curand::normal_numbers<float, true>{mean, stddev}));
}
inline curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *out, size_t n, double mean,
                                                    double stddev) {
    return gpulearn_curand::told(
        __func__, gpulearn_curand::generate<true>(
                      generator, out, n, gpulearn_curand::normal_numbers<double, true>{mean, stddev}));
}

// In no library here.
extern "C" {
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *, curandRngType_t);
curandStatus_t curandGenerateLongLong(curandGenerator_t, unsigned long long *, size_t);
curandStatus_t curandGeneratePoisson(curandGenerator_t, unsigned int *, size_t, double);
curandStatus_t curandGenerateBinomial(curandGenerator_t, unsigned int *, size_t, unsigned int, double);
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t, unsigned int);
}
