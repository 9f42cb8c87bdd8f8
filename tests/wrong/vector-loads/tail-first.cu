// Does what is left over at the front, so that every float4 begins askew.
extern "C" __global__ void axpy(float a, const float *x, float *y, int n) {
    int q = blockIdx.x * 256 + threadIdx.x;
    int left = n % 4;
    if (q < left) {
        y[q] += a * x[q];
    }
    if (left + 4 * q + 3 < n) {
        float4 from = *(const float4 *)(x + left + 4 * q); //~ misaligned
        float4 *to = (float4 *)(y + left + 4 * q);
        float4 sum = *to;
        sum.x += a * from.x;
        sum.y += a * from.y;
        sum.z += a * from.z;
        sum.w += a * from.w;
        *to = sum;
    }
}
