// guards: add 10 to every element, with more threads than elements.
//
// One block, with at least one thread for each of the n elements; usually
// more. Run this as it is and read what the tool says. Then fix it.

extern "C" __global__ void guards(const float *in, float *out, int n) {
    int i = threadIdx.x;
    out[i] = in[i] + 10;
}
