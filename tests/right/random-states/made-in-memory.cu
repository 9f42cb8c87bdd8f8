// Makes the state in global memory, as the example in the documentation does.

#include <curand_kernel.h>

// `states` has room for a state of each thread, and is kept from launch to launch.
__global__ void throw_points(curandState *states, int *hits, unsigned seed, int round,
                             int samples) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    // The thread's own copy: all draws change it in registers.
    curandState state;
    if (round == 0) {
        // The only jump, to the start of subsequence t.
        curand_init(seed, t, 0, &states[t]);
    }
    state = states[t];
    int count = 0;
    for (int s = 0; s < samples; s++) {
        float x = curand_uniform(&state);
        float y = curand_uniform(&state);
        if (x * x + y * y <= 1) {
            count++;
        }
    }
    atomicAdd(&hits[round], count);
    // The next launch goes on from here.
    states[t] = state;
}
