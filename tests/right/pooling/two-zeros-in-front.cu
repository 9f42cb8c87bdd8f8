// The tile begins with two zeros, so no read needs a guard.
extern "C" __global__ void pooling(const float *in, float *out, int n) {
    __shared__ float tile[256 + 2];
    int i = threadIdx.x;
    if (i < 2) {
        tile[i] = 0;
    }
    if (i < n) {
        tile[i + 2] = in[i];
    }
    __syncthreads();
    if (i < n) {
        out[i] = tile[i] + tile[i + 1] + tile[i + 2];
    }
}
