// Adds up in shared memory, then once for each block; jumps by skipahead_sequence.

#include <curand_kernel.h>

__global__ void throw_points(curandState *states, int *hits, unsigned seed, int round,
                             int samples) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int sum;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    curandState state;
    if (round == 0) {
        curand_init(seed, 0, 0, &state);
        skipahead_sequence(t, &state);
    } else {
        state = states[t];
    }
    __syncthreads();
    int count = 0;
    for (int s = 0; s < samples; s++) {
        float x = curand_uniform(&state);
        float y = curand_uniform(&state);
        if (x * x + y * y <= 1) {
            count++;
        }
    }
    states[t] = state;
    atomicAdd(&sum, count);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&hits[round], sum);
    }
}
