// The gradient is made of two sums, for the halves of the batch.
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
        for (int k = 0; k < inner; k++) {
            sum += __half2float(x[k * BATCH + sample]) * __half2float(weights[k * cols + col]);
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
            float second = 0;
            for (int b = 0; b < BATCH / 2; b++) {
                gradient = fmaf(__half2float(x[k * BATCH + b]), e[b], gradient);
                second = fmaf(__half2float(x[k * BATCH + BATCH / 2 + b]), e[BATCH / 2 + b], second);
            }
            gradient += second;
            float weight = master[k * cols + col] - RATE * gradient;
            master[k * cols + col] = weight;
            weights[k * cols + col] = __float2half(weight);
        }
    }
}
