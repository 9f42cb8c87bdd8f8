// map: add 10 to every element.
//
// One block, with exactly one thread for each element.

extern "C" __global__ void map(const float *in, float *out) {
    int i = threadIdx.x - 1;
    out[i] = in[i] + 10;
}
