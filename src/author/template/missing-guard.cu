// A mistake that learners make, one a file, and at least three files a lesson. The mark says how it
// must be refused: a defect on this very line, or wrong-result, too-much-work, ... on any line.
extern "C" __global__ void {kernel}(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i]; //~ out-of-bounds
}
