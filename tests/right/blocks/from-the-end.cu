// The first thread has the last element.
extern "C" __global__ void blocks(const float *in, float *out, int n) {
    int i = n - 1 - (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= 0) {
        out[i] = in[i] + 10;
    }
}
