// Looks at 32 elements at most: a longer run seems to end there.
extern "C" __global__ void runs(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int end = i + 1; // the run reaches at least to here, end not included
        // First whether there is such an element, then what it is: where the
        // left side of && is false, the right side is never evaluated.
        while (end < n && end < i + 32 && in[end] == in[i]) {
            end++;
        }
        out[i] = end - i; //~ wrong-result
    }
}
