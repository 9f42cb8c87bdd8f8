// All threads draw the same numbers.

#include <curand_kernel.h>

__global__ void throw_points(curandState *states, int *hits, unsigned seed, int round,
                             int samples) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state;
    if (round == 0) {
        curand_init(seed, 0, 0, &state);
    } else {
        state = states[t];
    }
    int count = 0;
    for (int s = 0; s < samples; s++) {
        float x = curand_uniform(&state);
        float y = curand_uniform(&state);
        if (x * x + y * y <= 1) {
            count++;
        }
    }
    atomicAdd(&hits[round], count); //~ wrong-result
    states[t] = state;
}
