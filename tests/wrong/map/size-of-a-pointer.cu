// Counts the elements as of an array: the size of a pointer is that of two.
extern "C" __global__ void map(const float *in, float *out) { //~ wrong-result: partly-written
    for (int i = 0; i < sizeof(in) / sizeof(in[0]); i++) {
        out[i] = in[i] + 10;
    }
}
