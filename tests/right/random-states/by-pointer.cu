// A function that draws a point from the state it is given; a sum in each warp.

#include <curand_kernel.h>

__device__ bool hit(curandState *state) {
    float x = curand_uniform(state), y = curand_uniform(state);
    return sqrtf(x * x + y * y) <= 1;
}

__global__ void throw_points(curandState *states, int *hits, unsigned seed, int round,
                             int samples) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state;
    if (round > 0) state = states[t];
    if (round == 0) curand_init(seed, t, 0, &state);
    int count = 0;
    while (samples-- > 0) count += hit(&state);
    for (int half = 16; half > 0; half /= 2) count += __shfl_down_sync(0xffffffff, count, half);
    if (t % 32 == 0) atomicAdd(hits + round, count);
    states[t] = state;
}
