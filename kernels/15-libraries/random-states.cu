// random-states: π, from random points in a square, in three launches.
//
// The points of thread t come from the numbers of subsequence t, two for each point, x first;
// a launch takes `samples` points of each thread, and goes on where the one before stopped.
// hits[round] is how many points of the launch lie in the quarter circle. It begins as 0.

#include <curand_kernel.h>

// Number i of a subsequence. It is the right one, but at what price?
__device__ float number(unsigned seed, int subsequence, int i) {
    curandState state;
    curand_init(seed, subsequence, i, &state);
    return curand_uniform(&state);
}

// `states` has room for a state of each thread, and is kept from launch to launch.
__global__ void throw_points(curandState *states, int *hits, unsigned seed, int round,
                             int samples) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int first = round * samples;
    int count = 0;
    for (int s = first; s < first + samples; s++) {
        float x = number(seed, t, 2 * s);
        float y = number(seed, t, 2 * s + 1);
        if (x * x + y * y <= 1) {
            count++;
        }
    }
    atomicAdd(&hits[round], count);
}
