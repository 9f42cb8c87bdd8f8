// {kernel}: out[i] is twice in[i], for i from 0 to n - 1.

extern "C" __global__ void {kernel}(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 2 * in[i];
    }
}
