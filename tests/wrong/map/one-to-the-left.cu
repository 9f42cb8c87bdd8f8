// Takes the element before its own.
// map: add 10 to every element.
//
// One block, with exactly one thread for each element.

extern "C" __global__ void map(const float *in, float *out) {
    // The thread's number is the index of its element. No loop: the launch
    // started as many threads as there are elements.
    int i = threadIdx.x - 1;
    out[i] = in[i] + 10; //~ out-of-bounds
}
