// Four neighbours are read and written at a time.
extern "C" __global__ void scale_shift_relu(const float *__restrict__ x, float *t, float *u,
                                            float *__restrict__ out, float a, float b, int n) {
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    for (int q = first; q < n / 4; q += step) {
        float4 v = ((const float4 *)x)[q];
        v.x = fmaxf(a * v.x + b, 0);
        v.y = fmaxf(a * v.y + b, 0);
        v.z = fmaxf(a * v.z + b, 0);
        v.w = fmaxf(a * v.w + b, 0);
        ((float4 *)out)[q] = v;
    }
    if (first < n % 4) {
        int i = n / 4 * 4 + first;
        out[i] = fmaxf(a * x[i] + b, 0);
    }
}
