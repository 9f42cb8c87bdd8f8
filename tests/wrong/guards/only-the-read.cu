// Guards the read and forgets the write.
extern "C" __global__ void guards(const float *in, float *out, int n) {
    int i = threadIdx.x;
    float value = 0;
    if (i < n) {
        value = in[i];
    }
    out[i] = value + 10; //~ out-of-bounds
}
