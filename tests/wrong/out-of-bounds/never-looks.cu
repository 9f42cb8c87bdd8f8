// The loop is for what lies past the end.
// runs: how long is the run of equal elements that begins at each element?
//
// As many blocks as it takes to have a thread for each of the n elements.

extern "C" __global__ void runs(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int end = i + 1; // the run reaches at least to here, end not included
        // First whether there is such an element, then what it is: where the
        // left side of && is false, the right side is never evaluated.
        while (end > n && in[end] == in[i]) { //~ wrong-result
            end++;
        }
        out[i] = end - i;
    }
}
