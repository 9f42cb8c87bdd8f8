// Draws from the state in global memory.

#include <curand_kernel.h>

__global__ void throw_points(curandState *states, int *hits, unsigned seed, int round, //~ too-much-work: load_sectors
                             int samples) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (round == 0) {
        curand_init(seed, t, 0, &states[t]);
    }
    for (int s = 0; s < samples; s++) {
        float x = curand_uniform(&states[t]);
        float y = curand_uniform(&states[t]);
        if (x * x + y * y <= 1) {
            atomicAdd(&hits[round], 1);
        }
    }
}
