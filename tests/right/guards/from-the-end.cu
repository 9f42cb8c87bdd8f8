// The first thread has the last element; the guard is on the left.
extern "C" __global__ void guards(const float *in, float *out, int n) {
    int i = n - 1 - (int)threadIdx.x;
    if (i < 0) {
        return;
    }
    out[i] = in[i] + 10;
}
