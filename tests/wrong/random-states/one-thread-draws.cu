// The first thread of each block draws for all of it.

#include <curand_kernel.h>

__global__ void throw_points(curandState *states, int *hits, unsigned seed, int round, //~ too-much-work: warp_instructions
                             int samples) {
    if (threadIdx.x > 0) return;
    int count = 0;
    for (int t = blockIdx.x * blockDim.x; t < (blockIdx.x + 1) * blockDim.x; t++) {
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
                count++;
            }
        }
        states[t] = state;
    }
    atomicAdd(&hits[round], count);
}
