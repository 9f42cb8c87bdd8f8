// Every round begins at the start of the subsequence.

#include <curand_kernel.h>

__global__ void throw_points(curandState *states, int *hits, unsigned seed, int round,
                             int samples) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state;
    curand_init(seed, t, 0, &state);
    int count = 0;
    for (int s = 0; s < samples; s++) {
        float x = curand_uniform(&state);
        float y = curand_uniform(&state);
        if (x * x + y * y <= 1) {
            count++;
        }
    }
    atomicAdd(&hits[round], count); //~ wrong-result
}
