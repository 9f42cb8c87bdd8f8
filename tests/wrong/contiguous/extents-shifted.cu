// Divides by the extent of the direction before.
extern "C" __global__ void contiguous(const float *in, float *out, int n0, int n1, int n2, int n3,
                                      int s0, int s1, int s2, int s3) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n0 * n1 * n2 * n3) {
        int i3 = i % n2, rest = i / n2;
        int i2 = rest % n1;
        rest /= n1;
        int i1 = rest % n0, i0 = rest / n0;
        out[i] = in[i0 * s0 + i1 * s1 + i2 * s2 + i3 * s3]; //~ out-of-bounds
    }
}
