// Names of functions of mathematics are a program's own to use, and are shown as it has them.
#include <cassert>
#include <cmath>
#include <cstdio>

namespace lookup {
__constant__ float log[2];
__device__ float exp = 1;
__managed__ int pow = 3;
} // namespace lookup

namespace operations {
struct exp {
    __host__ __device__ float operator()(float x) const { return x + 1; }
};
} // namespace operations


#ifndef exp2
#define exp2(x) (1 << (x))
#endif
#undef log2
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

template <class F>
__global__ void map(float *x, F f) {
    *x = f(*x);
}

namespace kernels {
__global__ void tanh(float *out) {
    out[0] = lookup::log[1];
    out[1] = lookup::exp;
    out[2] = lookup::pow;
}
} // namespace kernels

float *log(float *x) {
    map<<<1, 1>>>(x, [] __device__(float v) { return logf(v); });
    return x;
}

int main() {
    float *x;
    cudaMallocManaged(&x, 3 * sizeof(float));
    float values[2] = {1, 2}, five = 5;
    cudaMemcpyToSymbol(lookup::log, values, sizeof(values));
    cudaMemcpyToSymbol(lookup::exp, &five, sizeof(five));
    lookup::pow = 7;
    kernels::tanh<<<1, 1>>>(x);
    cudaDeviceSynchronize();
    printf("%g %g %g\n", x[0], x[1], x[2]);
    map<<<1, 1>>>(x, operations::exp());
    log(x);
    cudaDeviceSynchronize();
    printf("%.4f %.4f\n", x[0], operations::exp()(2));
    printf("%d %d %s %s\n", exp2(3), (int)log2(8.0), TEXT(log(2)), operations::exp()(0) == 1 ? "one" : "none");
    assert(log(1.0) == 0.0);
    double s, c;
    sincos(0.7, &s, &c);
    printf("%d %d %d\n", s == sin(0.7), c == cos(0.7), (int)tgamma(4.0 + x[1] - x[1]));
    cudaFree(x);
    return 0;
}
