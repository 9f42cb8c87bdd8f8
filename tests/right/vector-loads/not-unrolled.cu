// No loop is unrolled.
// axpy: y[i] = y[i] + a * x[i].
//
// x, y: n floats. Blocks of THREADS threads, one block for 1024 elements.

#define THREADS 256

extern "C" __global__ void axpy(float a, const float *x, float *y, int n) {
    int q = blockIdx.x * THREADS + threadIdx.x; // which four
    int i = 4 * q;                              // the first of them
    if (i + 3 < n) {
        // All four exist. i is a multiple of four, so the address is one of 16.
        float4 from = ((const float4 *)x)[q];
        float4 sum = ((float4 *)y)[q];
        sum.x += a * from.x;
        sum.y += a * from.y;
        sum.z += a * from.z;
        sum.w += a * from.w;
        ((float4 *)y)[q] = sum;
    } else {
        // At most one thread of the grid gets here with anything to do.
#pragma unroll 1
        for (; i < n; i++) {
            y[i] += a * x[i];
        }
    }
}
