// What three-regimes asks about.

// Adds up a polynomial of each x[i], by Horner's rule in `steps` multiply-adds:
// each thread takes its share, in strides of the whole grid.
template <class real, int steps> __device__ void sum_up(const float *x, float *sums, int n) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    real sum = 0;
    for (int i = thread; i < n; i += threads) {
        real t = x[i];
        real p = t;
        for (int k = 0; k < steps; k++) {
            p = p * t + 1;
        }
        sum += p;
    }
    sums[thread] = sum;
}

extern "C" __global__ void f32_4(const float *x, float *sums, int n) {
    sum_up<float, 4>(x, sums, n);
}

extern "C" __global__ void f32_8(const float *x, float *sums, int n) {
    sum_up<float, 8>(x, sums, n);
}

extern "C" __global__ void f32_128(const float *x, float *sums, int n) {
    sum_up<float, 128>(x, sums, n);
}

extern "C" __global__ void f32_256(const float *x, float *sums, int n) {
    sum_up<float, 256>(x, sums, n);
}

extern "C" __global__ void f64_4(const float *x, float *sums, int n) {
    sum_up<double, 4>(x, sums, n);
}

extern "C" __global__ void f64_8(const float *x, float *sums, int n) {
    sum_up<double, 8>(x, sums, n);
}
