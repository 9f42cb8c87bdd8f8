// too-fast-to-be-true: answer before anything runs.
//
// Write your answers in place of the question marks. The code is only
// for reading: the tool runs its own copy, whatever you change here.

// How many floating-point operations does `product` do for n = 64? A
// multiply-add is two.
// answer operations = ?

// A notebook multiplies two matrices of 2000 x 2000 on a T4 and prints 0.6 ms.
// How many TFLOP/s would that be? Within a twentieth.
// answer rate = ?

// A T4, as modelled, does at most 6912 GFLOP/s in single precision. How many
// milliseconds does this product take at least? Within a twentieth.
// answer least_ms = ?

// Which of these can be true of the 0.6 ms?
//   a   the GPU did the product in that time
//   b   the clock was read before the product was done
//   c   it is right if a multiply-add counts as one operation
// answer verdict = ?

// Somebody copies 4 million floats with `copy` on a T4 and prints 20 us. How many
// GB/s would the memory have to move? Within a twentieth.
// answer copy_rate = ?

// On an H100, which does at most 66908 GFLOP/s in single precision as modelled,
// somebody prints 0.34 ms for the product of 2000 x 2000. What can be said?
//   a   it is impossible: no GPU is that fast
//   b   it is below the limit, so it may be right
// answer faster_card = ?

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
