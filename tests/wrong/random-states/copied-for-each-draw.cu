// The function draws from a copy of the state: the same number again and again.

#include <curand_kernel.h>

__device__ float draw(curandState state) {
    return curand_uniform(&state);
}

__global__ void throw_points(curandState *states, int *hits, unsigned seed, int round,
                             int samples) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state;
    if (round == 0) {
        curand_init(seed, t, 0, &state);
    } else {
        state = states[t];
    }
    int count = 0;
    for (int s = 0; s < samples; s++) {
        float x = draw(state);
        float y = draw(state);
        if (x * x + y * y <= 1) {
            count++;
        }
    }
    atomicAdd(&hits[round], count); //~ wrong-result
    states[t] = state;
}
