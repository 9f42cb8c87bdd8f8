// Each thread goes on in steps of the whole grid, where the solution does one element.
// signed_power: out[i] = |in[i]| to the power of p, with the sign of in[i].
//
// in, out: n floats. Enough blocks of 256 threads.

extern "C" __global__ void signed_power(const float *in, float *out, int p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i];
        // What differs from lane to lane is a value: a choice between two values
        // needs no branch, each lane just keeps one of them.
        float size = x < 0 ? -x : x;
        // So the loop is one for all 32 lanes, whatever their signs.
        float power = 1;
        for (int k = 0; k < p; k++) {
            power *= size;
        }
        out[i] = x < 0 ? -power : power;
    }
}
