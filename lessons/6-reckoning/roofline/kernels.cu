// What roofline asks about.

// Adds up a polynomial of each x[i], by Horner's rule in `steps` multiply-adds:
// each thread takes its share, in strides of the whole grid.
template <int steps> __device__ void sum_up(const float *x, float *sums, int n) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    float sum = 0;
    for (int i = thread; i < n; i += threads) {
        float t = x[i];
        float p = t;
        for (int k = 0; k < steps; k++) {
            p = p * t + 1;
        }
        sum += p;
    }
    sums[thread] = sum;
}

extern "C" __global__ void steps_4(const float *x, float *sums, int n) {
    sum_up<4>(x, sums, n);
}

extern "C" __global__ void steps_16(const float *x, float *sums, int n) {
    sum_up<16>(x, sums, n);
}

extern "C" __global__ void steps_128(const float *x, float *sums, int n) {
    sum_up<128>(x, sums, n);
}
