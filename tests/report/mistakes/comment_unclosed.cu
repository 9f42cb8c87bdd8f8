extern "C" __global__ void map(const float *in, float *out) {
    int i = threadIdx.x; /* the thread
    out[i] = in[i] + 10;
}
