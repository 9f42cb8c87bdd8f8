// Four at a time, sums in double in a tree, and one thread for the scale of its block.
#define THREADS 256
__device__ float sq(float4 a) { return a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w; }
extern "C" __global__ void square_sums(const float *g, float *parts, int n) {
    __shared__ double s[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t, step = gridDim.x * THREADS;
    double sum = 0;
    for (int q = i; q < n / 4; q += step) sum += sq(((const float4 *)g)[q]);
    for (int k = n / 4 * 4 + i; k < n; k += step) sum += g[k] * g[k];
    s[t] = sum;
    for (int half = THREADS / 2; half; half >>= 1) {
        __syncthreads();
        if (t < half) s[t] += s[t + half];
    }
    if (t == 0) parts[blockIdx.x] = s[0];
}
extern "C" __global__ void clip(float *g, const float *parts, float limit, int n) {
    __shared__ float scale;
    if (threadIdx.x == 0) {
        float total = 0;
        for (int b = 0; b < gridDim.x; b++) total += parts[b];
        scale = fminf(1, limit / sqrtf(total));
    }
    __syncthreads();
    float f = scale;
    int i = blockIdx.x * THREADS + threadIdx.x, step = gridDim.x * THREADS;
    for (int q = i; q < n / 4; q += step) {
        float4 x = ((float4 *)g)[q];
        ((float4 *)g)[q] = make_float4(x.x * f, x.y * f, x.z * f, x.w * f);
    }
    for (int k = n / 4 * 4 + i; k < n; k += step) g[k] *= f;
}
