// choosing-tolerance: answer before anything runs.
//
// Two 32 × 1024 and 1024 × 32 matrices are multiplied, in two ways: all kernels
// run once on matrices of numbers between -1 and 1, and once on positive ones,
// between 0 and 1. Write your answers in place of the question marks. The code
// is only for reading: the tool runs its own copy, whatever you change here.

// In `by_eight`: what is the most roundings that any of the 1024 products goes
// through?
// answer roundings = ?

// `product` and `by_eight` are both right. Which of their results does
// `allclose` call different?
//   a   none, in either kind of matrix
//   b   some of those with signs, none of the positive ones
//   c   some of the positive ones, none of those with signs
//   d   some of both
// answer refused = ?

// How large is the largest error of `product` on the positive matrices, in
// units of u × size?
//   a   about 1024, the bound
//   b   some hundreds
//   c   about 32, the root of 1024, or less
// answer worst = ?

// `too_short` leaves out one product in each element. In how many of the 1024
// elements of the positive matrices does `one_percent` find that?
// answer found_by_one_percent = ?

// And how many of them does `bound` find?
//   a   none or nearly none: the bound is for the worst case
//   b   about half
//   c   most
// answer found_by_bound = ?

#define WIDE 32    // rows of a, columns of b
#define INNER 1024 // products in each element of a × b

// One more product: multiplied and added, and rounded once. With ints it counts how
// often that was done.
__device__ float step(float x, float y, float sum) { return fmaf(x, y, sum); }
__device__ int step(float, float, int most) { return most + 1; }
__device__ float add(float a, float b) { return a + b; }
__device__ int add(int a, int b) { return max(a, b) + 1; }

// One element of a × b, the first `count` products of it, one after the other.
template <class T> __device__ T in_order(const float *a, const float *b, int count) {
    T sum = 0;
    for (int k = 0; k < count; k++) {
        sum = step(a[threadIdx.y * INNER + k], b[k * WIDE + threadIdx.x], sum);
    }
    return sum;
}

// The same in eight sums, which are added up in pairs.
template <class T> __device__ T in_eights(const float *a, const float *b) {
    T s[8] = {};
    for (int k = 0; k < INNER; k += 8) {
        for (int j = 0; j < 8; j++) {
            float x = a[threadIdx.y * INNER + k + j];
            s[j] = step(x, b[(k + j) * WIDE + threadIdx.x], s[j]);
        }
    }
    return add(add(add(s[0], s[1]), add(s[2], s[3])), add(add(s[4], s[5]), add(s[6], s[7])));
}

// All kernels: one block of WIDE × WIDE threads, a thread for each element.
__device__ int me() { return threadIdx.y * WIDE + threadIdx.x; }

extern "C" __global__ void product(const float *a, const float *b, float *out) {
    out[me()] = in_order<float>(a, b, INNER);
}
extern "C" __global__ void by_eight(const float *a, const float *b, float *out) {
    out[me()] = in_eights<float>(a, b);
}
// With a bug: the last of the products is missing.
extern "C" __global__ void too_short(const float *a, const float *b, float *out) {
    out[me()] = in_order<float>(a, b, INNER - 1);
}

// In double: the sum of the products, and of their absolute values.
extern "C" __global__ void exact(const float *a, const float *b, double *sum, double *size) {
    double s = 0, all = 0;
    for (int k = 0; k < INNER; k++) {
        double x = (double)a[threadIdx.y * INNER + k] * b[k * WIDE + threadIdx.x];
        s += x;
        all += fabs(x);
    }
    sum[me()] = s;
    size[me()] = all;
}

// Ways to compare. Each makes a mark for every element that it refuses.
extern "C" __global__ void allclose(const float *got, const float *other, char *marks) {
    float g = got[me()], o = other[me()];
    if (!(fabsf(g - o) <= 1e-8f + 1e-5f * fabsf(o))) {
        marks[me()] = 1;
    }
}
extern "C" __global__ void one_percent(const float *got, const double *sum, char *marks) {
    if (!(fabs(got[me()] - sum[me()]) <= 0.01 * fabs(sum[me()]))) {
        marks[me()] = 1;
    }
}
extern "C" __global__ void bound(const float *got, const double *sum, const double *size,
                                 char *marks) {
    const double u = 1.0 / (1 << 24), gamma = INNER * u / (1 - INNER * u);
    if (!(fabs(got[me()] - sum[me()]) <= gamma * size[me()])) {
        marks[me()] = 1;
    }
}

// Makes as many marks as the number says, with one thread.
__device__ void mark(char *marks, int number) {
    for (int k = 0; me() == 0 && k < number; k++) {
        marks[k] = 1;
    }
}

// The largest error, in units of u × size, rounded up.
extern "C" __global__ void worst(const float *got, const double *sum, const double *size,
                                 char *marks) {
    __shared__ int most;
    if (me() == 0) most = 0;
    __syncthreads();
    double error = fabs(got[me()] - sum[me()]) / size[me()] * (1 << 24);
    atomicMax(&most, (int)ceil(error));
    __syncthreads();
    mark(marks, most);
}

// The most roundings that a product goes through.
extern "C" __global__ void roundings(const float *a, const float *b, char *marks) {
    mark(marks, in_order<int>(a, b, INNER));
}
extern "C" __global__ void roundings_by_eight(const float *a, const float *b, char *marks) {
    mark(marks, in_eights<int>(a, b));
}
