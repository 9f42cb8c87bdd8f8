// Saves the readings in another way: float everywhere, one thread for all samples.
#include <cuda_fp16.h>

#define BATCH 8
#define RATE 2e-5f // how far a step goes

// Before the first step: a thread for each weight.
extern "C" __global__ void prepare(const float *master, __half *weights, int count) { //~ too-much-work: store_sectors
}

// What the layer gives for each sample, minus what it should give.
extern "C" __global__ void forward(const float *master, const __half *weights, const __half *x,
                                   const float *target, float *error, int inner, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.y == 0 && col < cols) {
        float sum[BATCH] = {};
        for (int k = 0; k < inner; k++) {
            float weight = master[k * cols + col];
            for (int b = 0; b < BATCH; b++) {
                sum[b] += __half2float(x[k * BATCH + b]) * weight;
            }
        }
        for (int b = 0; b < BATCH; b++) {
            error[b * cols + col] = sum[b] - target[b * cols + col];
        }
    }
}

// Moves each weight against its gradient, a little.
extern "C" __global__ void update(float *master, __half *weights, const __half *x,
                                  const float *error, int inner, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        float e[BATCH];
        for (int b = 0; b < BATCH; b++) {
            e[b] = error[b * cols + col];
        }
        for (int k = 0; k < inner; k++) {
            float gradient = 0;
            for (int b = 0; b < BATCH; b++) {
                gradient += __half2float(x[k * BATCH + b]) * e[b];
            }
            master[k * cols + col] -= RATE * gradient;
        }
    }
}
