// Each thread goes on in steps of the whole grid, where the solution does one element.
// guards: add 10 to every element, with more threads than elements.
//
// One block, with at least one thread for each of the n elements; usually
// more.

extern "C" __global__ void guards(const float *in, float *out, int n) {
    int i = threadIdx.x;
    // Threads n, n + 1, … exist but have no element: they must neither read
    // nor write. `<`, since the last valid index is n - 1.
    for (; i < n; i += gridDim.x * blockDim.x) {
        out[i] = in[i] + 10;
    }
}
