// Two bytes as well, and three bits fewer of each weight.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define BATCH 8
#define RATE 2e-5f // how far a step goes

// Before the first step: a thread for each weight.
extern "C" __global__ void prepare(const float *master, __nv_bfloat16 *weights, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        weights[i] = __float2bfloat16(master[i]);
    }
}

// What the layer gives for each sample, minus what it should give.
extern "C" __global__ void forward(const float *master, const __nv_bfloat16 *weights, const __half *x,
                                   const float *target, float *error, int inner, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int sample = blockIdx.y;
    if (col < cols) {
        // Every sample reads all weights: two bytes each. The sum stays in a
        // register, where a float costs no more.
        float sum = 0;
        for (int k = 0; k < inner; k++) {
            sum += __half2float(x[k * BATCH + sample]) * __bfloat162float(weights[k * cols + col]);
        }
        error[sample * cols + col] = sum - target[sample * cols + col];
    }
}

// Moves each weight against its gradient, a little.
extern "C" __global__ void update(float *master, __nv_bfloat16 *weights, const __half *x,
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
            // The step is added where it is not lost, then rounded for those
            // who only read. The rounded weight never comes back into master.
            float weight = master[k * cols + col] - RATE * gradient;
            master[k * cols + col] = weight; //~ wrong-result
            weights[k * cols + col] = __float2bfloat16(weight);
        }
    }
}
