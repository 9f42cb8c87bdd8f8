// Saves the last thread, but others walk to the end as well.
extern "C" __global__ void runs(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == n - 1) {
        out[i] = 1;
    } else if (i < n) {
        int end = i + 1;
        while (in[end] == in[i] && end < n) { //~ out-of-bounds
            end++;
        }
        out[i] = end - i;
    }
}
