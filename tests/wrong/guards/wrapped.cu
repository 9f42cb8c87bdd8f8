// Keeps the index inside by a remainder: surplus threads do others' elements again.
extern "C" __global__ void guards(const float *in, float *out, int n) {
    int i = threadIdx.x % n;
    out[i] = in[i] + 10; //~ too-much-work: global_writes
}
