// Surplus threads do the last element once more.
extern "C" __global__ void guards(const float *in, float *out, int n) { //~ too-much-work: global_writes
    int i = min((int)threadIdx.x, n - 1);
    out[i] = in[i] + 10;
}
