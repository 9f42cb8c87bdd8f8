// Assigns where it should compare.
extern "C" __global__ void guards(const float *in, float *out, int n) { //~ wrong-result: untouched
    int i = threadIdx.x;
    if (i = n) return;
    out[i] = in[i] + 10;
}
