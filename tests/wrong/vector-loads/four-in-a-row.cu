// Right, but four reads of one float: no float4 comes of it by itself.
extern "C" __global__ void axpy(float a, const float *x, float *y, int n) { //~ too-much-work: load_sectors
    int first = 4 * (blockIdx.x * 256 + threadIdx.x);
    for (int i = first; i < first + 4 && i < n; i++) {
        y[i] += a * x[i];
    }
}
