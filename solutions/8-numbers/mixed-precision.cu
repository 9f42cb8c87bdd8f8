// mixed-precision: four steps of training a linear layer.
//
// master: (inner, cols) weights. x: (inner, BATCH) inputs, a column for each
// sample. target, error: (BATCH, cols).
// Launched: prepare once, then four times forward and update.
//   forward   256 threads per block, a thread for each column; y is the sample
//   update    256 threads per block, a thread for each column
//
// weights is a copy of master in __half, renewed whenever master changes.

#include <cuda_fp16.h>

#define BATCH 8
#define RATE 2e-5f // how far a step goes

// Before the first step: a thread for each weight.
extern "C" __global__ void prepare(const float *master, __half *weights, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        weights[i] = __float2half(master[i]);
    }
}

// The output of the layer for each sample, minus the target.
extern "C" __global__ void forward(const float *master, const __half *weights, const __half *x,
                                   const float *target, float *error, int inner, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int sample = blockIdx.y;
    if (col < cols) {
        // Every sample reads all weights: two bytes each. The sum stays in a
        // register, where a float costs no more.
        float sum = 0;
        for (int k = 0; k < inner; k++) {
            sum += __half2float(x[k * BATCH + sample]) * __half2float(weights[k * cols + col]);
        }
        error[sample * cols + col] = sum - target[sample * cols + col];
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
            // The step is added where it is not lost, then rounded for the kernels
            // that only read. The rounded weight never goes back into master.
            float weight = master[k * cols + col] - RATE * gradient;
            master[k * cols + col] = weight;
            weights[k * cols + col] = __float2half(weight);
        }
    }
}
