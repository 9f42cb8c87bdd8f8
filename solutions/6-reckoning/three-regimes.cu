// three-regimes: answer before anything runs.
//
// Four kernels run alone on a T4, as modelled; then one thing is changed
// in each and it runs again. All have blocks of 256 threads.
//   tiny     f32_4 on 256 elements, one block
//   stream   f32_4 on 524288 elements, 160 blocks
//   crunch   f32_128 on the same
//   riddle   f64_4 on the same
//
// The answers, and how to find them.

// `tiny` gets four times as many elements. How many times as long does it take
// from the launch call to the end of the kernel? Within a tenth.
// The launch takes microseconds, the work a fraction of one.
// answer tiny_larger = 1

// `stream` does twice the steps on the same data (f32_8). How many times as
// long does it take on the GPU? Within a tenth.
// It waits for bytes, and they are the same.
// answer stream_more_work = 1

// `stream` gets half of the data. How many times as long? Within a tenth.
// Half of the bytes take half of the time.
// answer stream_half = 0.5

// `crunch` does twice the steps on the same data (f32_256). How many times as
// long does it take on the GPU? Within a tenth.
// 128 multiply-adds per element keep the arithmetic units busy for longer than
// its four bytes take to arrive.
// answer crunch_more_work = 2

// `riddle` does in double precision what `stream` does in single precision.
// A T4 has 2 units for double precision where it has 64 for single. What limits
// it?
//   a   the overhead of the launch
//   b   memory
//   c   arithmetic
// The bytes are those of stream, so memory would allow the same 9 us. But the
// same operations take 32 times as long: 25 us.
// answer riddle = c

// `stream` has only 2049 elements, and gets half of them. How many times as
// long does it take from the launch call to the end? Within a tenth.
// It is tiny now: 8 KB take a fraction of a microsecond, the launch about nine.
// answer small_half = 1

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
