extern "C" __global__ void map(const float *in, float *out) {
    __shared float s[32];
    shared float t[32];
    int i = threadIdx.x;
    out[i] = in[i] + 10;
}
