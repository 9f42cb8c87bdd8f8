// runs: how long is the run of equal elements that begins at each element?
//
// As many blocks as it takes to have a thread for each of the n elements.
//
// The values are right. Check it, and read what else is found.

extern "C" __global__ void runs(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int end = i + 1; // the run reaches at least to here, end not included
        while (in[end] == in[i] && end < n) {
            end++;
        }
        out[i] = end - i;
    }
}
