//! Few threads that await each load before the next, and as few that have eight under way.
//! floats: 4194304 1 33792
//! slow: grid 132 1 block 256 1
//! fast: grid 132 1 block 256 1
//! held: out
//! n: 4194304

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    float sum = 0;
#pragma unroll 1
    for (int i = t; i < n; i += step) sum = sum * 0.5f + a[i];
    c[t] = sum;
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x, i = t;
    float sum = 0;
    for (; i + 7 * step < n; i += 8 * step) {
        float v[8];
        for (int k = 0; k < 8; k++) v[k] = a[i + k * step];
        for (int k = 0; k < 8; k++) sum = sum * 0.5f + v[k];
    }
    for (; i < n; i += step) sum = sum * 0.5f + a[i];
    c[t] = sum;
}
