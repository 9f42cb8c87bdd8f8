// roofline: answer before anything runs.
//
// n = 1048576 floats unless a question says otherwise, 160 blocks of 256 threads.
// The T4 of the model does 6912 GFLOP/s in f32 at best, and its memory gives
// 243 GB/s at best.
//
// Write your answers in place of the question marks. The code is only
// for reading: the tool runs its own copy, whatever you change here.

// From how many operations for each byte on is arithmetic the limit on the
// T4, and no longer memory? Within a twentieth is close enough.
// answer corner = ?

// Which of the three kernels are limited by memory on the T4?
//   a   steps_4 alone
//   b   steps_4 and steps_16
//   c   all three
//   d   none
// answer limited = ?

// How many times as long as `steps_4` does `steps_16` take on the T4?
// Within a tenth is close enough.
// answer longer = ?

// How many GFLOP/s does `steps_16` reach on the T4? Within a tenth.
// answer rate = ?

// How many times as long as `steps_16` does `steps_128` take on the T4?
// Within a tenth.
// answer much_longer = ?

// How many microseconds does `steps_16` take on the T4 for 1500001 floats?
// Within a tenth.
// answer microseconds = ?

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
