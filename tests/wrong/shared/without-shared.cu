// Right, but each thread fetches the first element by itself.
extern "C" __global__ void shared(const float *in, float *out, int n) { //~ too-much-work: shared_writes
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i] + in[i - threadIdx.x];
    }
}
