// Every thread past the last float4 does all that is left over: a race.
extern "C" __global__ void axpy(float a, const float *x, float *y, int n) {
    int q = blockIdx.x * 256 + threadIdx.x;
    if (4 * q + 3 < n) {
        float4 from = ((const float4 *)x)[q];
        float4 sum = ((float4 *)y)[q];
        sum.x += a * from.x;
        sum.y += a * from.y;
        sum.z += a * from.z;
        sum.w += a * from.w;
        ((float4 *)y)[q] = sum;
    } else {
        for (int i = n / 4 * 4; i < n; i++) {
            y[i] += a * x[i]; //~ global-race
        }
    }
}
