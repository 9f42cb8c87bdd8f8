extern "C" __global__ void map(const float *in, float *out) {
    int i = threadIdx.x;
    printf(“%d\n”, i);
    out[i] = in[i] + 10;
}
