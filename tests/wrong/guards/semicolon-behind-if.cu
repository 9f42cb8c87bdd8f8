// A semicolon behind the condition: the guard guards nothing.
extern "C" __global__ void guards(const float *in, float *out, int n) {
    int i = threadIdx.x;
    if (i < n);
        out[i] = in[i] + 10; //~ out-of-bounds
}
