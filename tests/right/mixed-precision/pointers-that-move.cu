// Pointers move down the columns; all of x's row comes as eight in one piece.
#include <cuda_fp16.h>

#define BATCH 8
#define RATE 2e-5f // how far a step goes

extern "C" __global__ void prepare(const float *master, __half *weights, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        weights[i] = __float2half(master[i]);
    }
}

extern "C" __global__ void forward(const float *master, const __half *weights, const __half *x,
                                   const float *target, float *error, int inner, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int sample = blockIdx.y;
    if (col < cols) {
        float sum = 0;
        const __half *sample_at = x + sample, *weight_at = weights + col;
        for (int k = 0; k < inner; k++, sample_at += BATCH, weight_at += cols) {
            sum += (float)*sample_at * (float)*weight_at;
        }
        error[sample * cols + col] = sum - target[sample * cols + col];
    }
}

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
            const __half2 *pairs = (const __half2 *)(x + k * BATCH);
#pragma unroll
            for (int p = 0; p < BATCH / 2; p++) {
                float2 two = __half22float2(pairs[p]);
                gradient += two.x * e[2 * p] + two.y * e[2 * p + 1];
            }
            float weight = master[k * cols + col] - RATE * gradient;
            master[k * cols + col] = weight;
            weights[k * cols + col] = __float2half(weight);
        }
    }
}
