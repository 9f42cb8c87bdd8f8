// launch: grid 1 block 64
// in a: f32 4096 = i
// out sums: f32 64
// finding: P001
extern "C" __global__ void sums_of_rows(const float *a, float *sums) {
    const int n = 64;
    float sum = 0;
    for (int k = 0; k < n; k++)
#ifdef FIXED
        sum += a[k * n + threadIdx.x];
#else
        sum += a[threadIdx.x * n + k];
#endif
    sums[threadIdx.x] = sum;
}
