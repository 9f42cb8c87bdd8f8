// No loop is unrolled.
// scale_shift_relu: out[i] = max(a * x[i] + b, 0).
//
// x, out: n floats. t, u: room for n floats each, not needed afterwards.
// At most 32 blocks of 256 threads: the grid goes over the array in jumps.

// __restrict__: what is written to out is not in x, so the compiler may let the
// reads of the next elements begin before this one is written.
extern "C" __global__ void scale_shift_relu(const float *__restrict__ x, float *t, float *u,
                                            float *__restrict__ out, float a, float b, int n) {
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = first; i < n; i += step) {
        // One read, all three steps on a variable of the thread, one write.
        float v = a * x[i] + b;
        out[i] = v > 0 ? v : 0;
    }
}
