// adam: one step of the optimiser Adam, for each of n weights.
//
//     m = BETA_M * m + (1 - BETA_M) * g           the mean of the gradients
//     v = BETA_V * v + (1 - BETA_V) * g * g       the mean of their squares
//     p = p - RATE * (m * scales[0]) / (sqrt(v * scales[1]) + TINY)
//
// p, m, v, g: n floats each. scales: two floats, the same for all weights.
// Blocks of THREADS threads, one block for 1024 weights.
//
// This kernel is right, but passes over memory five times.

#define THREADS 256
#define BETA_M 0.9f
#define BETA_V 0.99f
#define RATE 0.01f
#define TINY 1e-8f

// a[i] *= factor
__device__ void scale(float *a, float factor, int first, int end) {
    for (int i = first; i < end; i += THREADS) {
        a[i] *= factor;
    }
}

// a[i] += factor * b[i]
__device__ void add(float *a, float factor, const float *b, int first, int end) {
    for (int i = first; i < end; i += THREADS) {
        a[i] += factor * b[i];
    }
}

// a[i] += factor * b[i] * b[i]
__device__ void add_squares(float *a, float factor, const float *b, int first, int end) {
    for (int i = first; i < end; i += THREADS) {
        a[i] += factor * b[i] * b[i];
    }
}

// The update of the weights themselves.
__device__ void step(float *p, const float *m, const float *v, const float *scales,
                     int first, int end) {
    for (int i = first; i < end; i += THREADS) {
        p[i] -= RATE * (m[i] * scales[0]) / (sqrtf(v[i] * scales[1]) + TINY);
    }
}

extern "C" __global__ void adam(float *p, float *m, float *v, const float *g,
                                const float *scales, int n) {
    // In all five passes a thread has the same elements, THREADS apart.
    int first = blockIdx.x * 1024 + threadIdx.x;
    int end = min(n, (int)(blockIdx.x + 1) * 1024);
    scale(m, BETA_M, first, end);
    add(m, 1 - BETA_M, g, first, end);
    scale(v, BETA_V, first, end);
    add_squares(v, 1 - BETA_V, g, first, end);
    step(p, m, v, scales, first, end);
}
