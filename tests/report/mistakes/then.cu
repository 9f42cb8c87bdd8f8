extern "C" __global__ void map(const float *in, float *out, int n) {
    int i = threadIdx.x;
    if (i < n) then out[i] = in[i] + 10;
}
