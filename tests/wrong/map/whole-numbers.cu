// Keeps the element in an int on the way.
extern "C" __global__ void map(const float *in, float *out) {
    int i = threadIdx.x;
    int v = in[i];
    out[i] = v + 10; //~ wrong-result: whole-numbers
}
