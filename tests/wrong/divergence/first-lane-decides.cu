// The sign of the first lane decides for the whole warp.
extern "C" __global__ void signed_power(const float *in, float *out, int p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i < n ? in[i] : 0;
    float first = __shfl_sync(0xffffffff, x, 0);
    float power = 1;
    for (int k = 0; k < p; k++) {
        power *= first < 0 ? -x : x;
    }
    if (i < n) {
        out[i] = first < 0 ? -power : power; //~ wrong-result
    }
}
