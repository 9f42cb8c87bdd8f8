extern "C" __global__ void map(const float *in, float *out) {
    int i = threadIdx.x;
    __half h = __float2half(in[i]);
    out[i] = in[i] + 10;
}
