// Takes four from each place, not from every fourth.
#define THREADS 256

extern "C" __global__ void axpy(float a, const float *x, float *y, int n) {
    int q = blockIdx.x * THREADS + threadIdx.x;
    int i = 4 * q;
    if (i + 3 < n) {
        float4 from = *(const float4 *)(x + q); //~ misaligned
        float4 sum = ((float4 *)y)[q];
        sum.x += a * from.x;
        sum.y += a * from.y;
        sum.z += a * from.z;
        sum.w += a * from.w;
        ((float4 *)y)[q] = sum;
    } else {
        for (; i < n; i++) {
            y[i] += a * x[i];
        }
    }
}
