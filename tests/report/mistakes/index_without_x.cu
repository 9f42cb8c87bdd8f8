extern "C" __global__ void map(const float *in, float *out) {
    out[threadIdx] = in[threadIdx] + 10;
}
