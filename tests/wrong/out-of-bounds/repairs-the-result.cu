// Lets the run go past the end, and cuts it off afterwards.
extern "C" __global__ void runs(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int end = i + 1;
        while (in[end] == in[i]) { //~ out-of-bounds
            end++;
        }
        out[i] = min(end, n) - i;
    }
}
