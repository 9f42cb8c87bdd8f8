// Four steps of training, in double; the weights are kept as floats between.
#include <cuda_fp16.h>

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
        double sum = 0;
        for (int k = 0; k < inner; k++) {
            sum += (double)__half2float(x[k * 8 + sample]) * master[k * cols + col];
        }
        error[sample * cols + col] = sum - target[sample * cols + col];
    }
}

extern "C" __global__ void update(float *master, __half *weights, const __half *x,
                                  const float *error, int inner, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        for (int k = 0; k < inner; k++) {
            double gradient = 0;
            for (int b = 0; b < 8; b++) {
                gradient += (double)__half2float(x[k * 8 + b]) * error[b * cols + col];
            }
            master[k * cols + col] -= 2e-5 * gradient;
        }
    }
}
