// What is left over goes to the first threads, one element each.
#define THREADS 256

extern "C" __global__ void axpy(float a, const float *x, float *y, int n) {
    int q = blockIdx.x * THREADS + threadIdx.x; // which four
    int i = 4 * q;                              // the first of them
    if (q < n / 4) {
        float4 from = ((const float4 *)x)[q];
        float4 sum = ((float4 *)y)[q];
        sum.x += a * from.x;
        sum.y += a * from.y;
        sum.z += a * from.z;
        sum.w += a * from.w;
        ((float4 *)y)[q] = sum;
    }
    i = n / 4 * 4 + q;
    if (q < n % 4) {
        y[i] += a * x[i];
    }
}
