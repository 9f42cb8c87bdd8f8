// Looks whether the first of the four exists, and takes all of them.
extern "C" __global__ void axpy(float a, const float *x, float *y, int n) {
    int q = blockIdx.x * 256 + threadIdx.x;
    if (4 * q < n) {
        float4 from = ((const float4 *)x)[q]; //~ out-of-bounds
        float4 sum = ((float4 *)y)[q];
        sum.x += a * from.x;
        sum.y += a * from.y;
        sum.z += a * from.z;
        sum.w += a * from.w;
        ((float4 *)y)[q] = sum;
    }
}
