// What throw_points() should count: each round walks to its first number by itself.

#include <curand_kernel.h>

__global__ void throw_points(curandState *, int *hits, unsigned seed, int round, int samples) {
    curandState state;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, t, 2ull * round * samples, &state);
    for (int s = 0; s < samples; s++) {
        double x = curand_uniform(&state), y = curand_uniform(&state);
        if (x * x + y * y <= 1) {
            atomicAdd(&hits[round], 1);
        }
    }
}
