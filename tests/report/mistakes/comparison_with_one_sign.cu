extern "C" __global__ void map(const float *in, float *out, int n) {
    const int last = n - 1;
    int i = threadIdx.x;
    if (i + 1 = n) out[i] = in[i];
    if (last = i) out[i] = in[i] + 10;
}
