// map: add 10 to every element.
//
// One block, with exactly one thread for each element.

extern "C" __global__ void map(const float *in, float *out) {
    // Write here what one thread does.
}
