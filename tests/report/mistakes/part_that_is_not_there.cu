extern "C" __global__ void map(const float *in, float *out) {
    int i = threadIdx.w;
    int j = blockDim->x;
    out[i] = in[i] + 10;
}
