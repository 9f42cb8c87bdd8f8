// An index in floats, used on an array of float4.
extern "C" __global__ void axpy(float a, const float *x, float *y, int n) {
    int i = 4 * (blockIdx.x * 256 + threadIdx.x);
    if (i + 3 < n) {
        float4 from = ((const float4 *)x)[i]; //~ out-of-bounds
        float4 sum = ((float4 *)y)[i];
        sum.x += a * from.x;
        sum.y += a * from.y;
        sum.z += a * from.z;
        sum.w += a * from.w;
        ((float4 *)y)[i] = sum;
    } else {
        for (; i < n; i++) {
            y[i] += a * x[i];
        }
    }
}
