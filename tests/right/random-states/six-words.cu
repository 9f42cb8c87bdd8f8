// Keeps the six words that XORWOW needs, word by word: neighbouring threads' lie together.

#include <curand_kernel.h>

__global__ void throw_points(unsigned *words, int *hits, unsigned seed, int round, int samples) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    curandState state;
    if (round == 0) {
        curand_init(seed, t, 0, &state);
    } else {
        for (int i = 0; i < 5; i++) {
            state.v[i] = words[i * threads + t];
        }
        state.d = words[5 * threads + t];
    }
    int count = 0;
    for (int s = 0; s < samples; s++) {
        float x = curand_uniform(&state);
        float y = curand_uniform(&state);
        if (x * x + y * y <= 1) {
            count++;
        }
    }
    atomicAdd(&hits[round], count);
    for (int i = 0; i < 5; i++) {
        words[i * threads + t] = state.v[i];
    }
    words[5 * threads + t] = state.d;
}
