// random-states: π, from random points in a square, in three launches.
//
// The points of thread t come from the numbers of subsequence t, two for each point, x first;
// a launch takes `samples` points of each thread, and goes on where the one before stopped.
// hits[round] is how many points of the launch lie in the quarter circle. It begins as 0.

#include <curand_kernel.h>

// `states` has room for a state of each thread, and is kept from launch to launch.
__global__ void throw_points(curandState *states, int *hits, unsigned seed, int round,
                             int samples) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    // The thread's own copy: all draws change it in registers.
    curandState state;
    if (round == 0) {
        // The only jump, to the start of subsequence t.
        curand_init(seed, t, 0, &state);
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
    atomicAdd(&hits[round], count);
    // The next launch goes on from here.
    states[t] = state;
}
