// One state for all threads: they change it at the same time.

#include <curand_kernel.h>

__global__ void throw_points(curandState *states, int *hits, unsigned seed, int round,
                             int samples) {
    if (round == 0) {
        curand_init(seed, 0, 0, &states[0]); //~ global-race
    }
    int count = 0;
    for (int s = 0; s < samples; s++) {
        float x = curand_uniform(&states[0]);
        float y = curand_uniform(&states[0]);
        if (x * x + y * y <= 1) {
            count++;
        }
    }
    atomicAdd(&hits[round], count);
}
