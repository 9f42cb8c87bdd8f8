// Takes a stride of 0 for one that was not given.
extern "C" __global__ void contiguous(const float *in, float *out, int n0, int n1, int n2, int n3,
                                      int s0, int s1, int s2, int s3) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n0 * n1 * n2 * n3) {
        if (s3 == 0) {
            s3 = 1;
        }
        if (s1 == 0) {
            s1 = n2 * n3;
        }
        // Which element is number i? The last index is the remainder after whole
        // rows, the one before it the remainder after whole matrices, and so on.
        int i3 = i % n3, rest = i / n3;
        int i2 = rest % n2;
        rest /= n2;
        int i1 = rest % n1, i0 = rest / n1;
        // Writes are side by side whatever the strides; reads are where s3 is 1.
        out[i] = in[i0 * s0 + i1 * s1 + i2 * s2 + i3 * s3]; //~ out-of-bounds
    }
}
