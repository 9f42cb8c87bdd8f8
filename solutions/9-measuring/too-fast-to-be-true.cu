// too-fast-to-be-true: answer before anything runs.
//
// The answers, and how to find them.

// How many floating-point operations does `product` do for n = 64? A
// multiply-add is two.
// 64 * 64 elements, each a sum of 64 products, two operations for each: 2 n^3.
// answer operations = 524288

// A notebook multiplies two matrices of 2000 x 2000 on a T4 and prints 0.6 ms.
// How many TFLOP/s would that be? Within a twentieth.
// 2 * 2000^3 = 16e9 operations in 0.6e-3 s.
// answer rate = 26.7

// A T4, as modelled, does at most 6912 GFLOP/s in single precision. How many
// milliseconds does this product take at least? Within a twentieth.
// 16e9 operations at 6912e9 in a second.
// answer least_ms = 2.31

// Which of these can be true of the 0.6 ms?
//   a   the GPU did the product in that time
//   b   the clock was read before the product was done
//   c   it is right if a multiply-add counts as one operation
// 26.7 is nearly four times 6.9, and 13.3 is still twice as much.
// answer verdict = b

// Somebody copies 4 million floats with `copy` on a T4 and prints 20 us. How many
// GB/s would the memory have to move? Within a twentieth.
// 4 bytes read and 4 written for each: 32e6 bytes in 20e-6 s. A T4 can do 243.
// answer copy_rate = 1600

// On an H100, which does at most 66908 GFLOP/s in single precision as modelled,
// somebody prints 0.34 ms for the product of 2000 x 2000. What can be said?
//   a   it is impossible: no GPU is that fast
//   b   it is below the limit, so it may be right
// 16e9 / 0.34e-3 s is 47e12 in a second, seven tenths of the limit.
// answer faster_card = b

// c = a * b, all n × n: a thread for each element of c.
extern "C" __global__ void product(const float *a, const float *b, float *c, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && col < n) {
        float sum = 0;
        for (int k = 0; k < n; k++) {
            sum += a[row * n + k] * b[k * n + col];
        }
        c[row * n + col] = sum;
    }
}

// A copy of n * n floats: a thread for each.
extern "C" __global__ void copy(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * n) {
        out[i] = in[i];
    }
}
