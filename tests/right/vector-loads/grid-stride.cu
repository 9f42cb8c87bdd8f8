// A grid-stride loop over the fours, and one thread for each that is left over.
#define THREADS 256

extern "C" __global__ void axpy(float a, const float *x, float *y, int n) {
    int q = blockIdx.x * THREADS + threadIdx.x; // which four
    int i = 4 * q;                              // the first of them
    int rest = n % 4;
    if (q < rest) {
        i = n - rest + q;
        y[i] = a * x[i] + y[i];
    }
    float4 *to = (float4 *)y;
    for (; q < n / 4; q += gridDim.x * THREADS) {
        float4 from = ((const float4 *)x)[q], old = to[q];
        to[q] = make_float4(fmaf(a, from.x, old.x), fmaf(a, from.y, old.y), fmaf(a, from.z, old.z),
                            fmaf(a, from.w, old.w));
    }
}
