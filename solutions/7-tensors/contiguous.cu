// contiguous: copies a tensor of any layout, without gaps, last index
// fastest.
//
// in:  shape (n0, n1, n2, n3) with the strides s0, s1, s2, s3, in elements.
//      An extent may be 1, a stride may be 0.
// out: the same shape, without gaps: its last index changes fastest.
// Blocks of 256 threads, enough for a thread for each element of out.

extern "C" __global__ void contiguous(const float *in, float *out, int n0, int n1, int n2, int n3,
                                      int s0, int s1, int s2, int s3) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n0 * n1 * n2 * n3) {
        // Which element is number i? The last index is the remainder after whole
        // rows, the one before it the remainder after whole matrices, and so on.
        int i3 = i % n3, rest = i / n3;
        int i2 = rest % n2;
        rest /= n2;
        int i1 = rest % n1, i0 = rest / n1;
        // Writes are side by side whatever the strides; reads are where s3 is 1.
        out[i] = in[i0 * s0 + i1 * s1 + i2 * s2 + i3 * s3];
    }
}
