// guards: add 10 to every element, with more threads than elements.
//
// One block, with at least one thread for each of the n elements; usually
// more.

extern "C" __global__ void guards(const float *in, float *out, int n) {
    int i = threadIdx.x;
    if (i < n)
        float v = in[i];
        out[i] = v + 10;
}
