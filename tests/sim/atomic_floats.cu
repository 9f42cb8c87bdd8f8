// Atomic additions of float, double, half pairs and 64-bit integers.
// launch: grid 2 block 128
// inout f: f32 1 = 0.5
// inout d: f64 1 = 0.25
// inout h: f16 2 = 0
// inout l: i64 3 = i == 2 ? -5 : 0
// expect f = 32640.5
// expect d = 8160.25
// expect h = 256 128
// expect l = 32640000000000 9223372036854775807 250
#include <cuda_fp16.h>
extern "C" __global__ void atomics(float *f, double *d, __half2 *h, long long *l) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(f, (float)i);
    atomicAdd(d, i * 0.25);
    atomicAdd(h, __floats2half2_rn(1.0f, 0.5f));
    atomicAdd((unsigned long long *)&l[0], i * 1000000000ULL);
    atomicOr((unsigned long long *)&l[1], 1ULL << (i % 63));
    atomicMax(&l[2], (long long)i - 5);
}
