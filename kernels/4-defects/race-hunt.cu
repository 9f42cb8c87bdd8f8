// standardise: move each row so that its mean is 0, and scale it so that its
// largest distance from the mean is 1.
//
// in, out: (rows, cols), row-major, cols <= THREADS.
// A block takes every gridDim.x-th row, with a thread for each column.
//
// On a GPU the values are nearly always right. Check it here, and read what is
// found.

#define THREADS 64 // a power of two

// The sum of `value` over the block, for every thread.
__device__ float block_sum(float value, float *s) {
    int t = threadIdx.x;
    s[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            s[t] += s[t + half];
        }
        __syncthreads();
    }
    return s[0];
}

// The largest `value` of the block, for every thread.
__device__ float block_max(float value, float *s) {
    int t = threadIdx.x;
    s[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            s[t] = fmaxf(s[t], s[t + half]);
        }
        __syncthreads();
    }
    return s[0];
}

extern "C" __global__ void standardise(const float *in, float *out, int rows, int cols) {
    __shared__ float s[THREADS];
    int col = threadIdx.x;
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        float value = col < cols ? in[row * cols + col] : 0;
        float mean = block_sum(value, s) / cols;
        float distance = col < cols ? value - mean : 0;
        float largest = block_max(fabsf(distance), s);
        if (col < cols) {
            out[row * cols + col] = largest > 0 ? distance / largest : 0;
        }
    }
}
