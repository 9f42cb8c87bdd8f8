// roofline: answer before anything runs.
//
// n = 1048576 floats unless a question says otherwise, 160 blocks of 256 threads.
// The T4 of the model does 6912 GFLOP/s in f32 at best, and its memory gives
// 243 GB/s at best.
//
// The answers, and how to find them.

// From how many operations for each byte on is arithmetic the limit on the
// T4, and no longer memory? Within a twentieth is close enough.
// In the time of one byte, 1 / 243 ns, the T4 can do 6912 / 243 operations.
// answer corner = 28.4

// Which of the three kernels are limited by memory on the T4?
//   a   steps_4 alone
//   b   steps_4 and steps_16
//   c   all three
//   d   none
// A float is 4 bytes, and for each of them steps_k does 2 * k + 1 operations:
// 2.2, 8.2 and 64 for each byte.
// answer limited = b

// How many times as long as `steps_4` does `steps_16` take on the T4?
// Within a tenth is close enough.
// Both are left of the corner, so both take as long as their bytes take, and
// those are the same.
// answer longer = 1

// How many GFLOP/s does `steps_16` reach on the T4? Within a tenth.
// 33 operations for each 4 bytes (and a little more for the sums), and bytes
// come at 243 GB/s: 33 / 4.16 * 243.
// answer rate = 1925

// How many times as long as `steps_16` does `steps_128` take on the T4?
// Within a tenth.
// Right of the corner arithmetic decides: 257 operations at 6912 GFLOP/s take
// 37 ps, and the bytes of one element 17 ps.
// answer much_longer = 2.2

// How many microseconds does `steps_16` take on the T4 for 1500001 floats?
// Within a tenth.
// 6 MB at 243 GB/s. (50 million operations alone would take 7 microseconds.)
// answer microseconds = 24.7

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
