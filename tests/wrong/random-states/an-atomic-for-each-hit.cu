// Counts every hit in global memory.

#include <curand_kernel.h>

__global__ void throw_points(curandState *states, int *hits, unsigned seed, int round, //~ too-much-work: global_atomics
                             int samples) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state;
    if (round == 0) {
        curand_init(seed, t, 0, &state);
    } else {
        state = states[t];
    }
    for (int s = 0; s < samples; s++) {
        float x = curand_uniform(&state);
        float y = curand_uniform(&state);
        if (x * x + y * y <= 1) {
            atomicAdd(&hits[round], 1);
        }
    }
    states[t] = state;
}
