// contiguous: copies a tensor of any layout, without gaps, last index
// fastest.
//
// in:  shape (n0, n1, n2, n3) with the strides s0, s1, s2, s3, in elements.
//      An extent may be 1, a stride may be 0.
// out: the same shape, without gaps: its last index changes fastest.
// Blocks of 256 threads, enough for a thread for each element of out.

extern "C" __global__ void contiguous(const float *in, float *out, int n0, int n1, int n2, int n3,
                                      int s0, int s1, int s2, int s3) {
    // Write here what one thread does.
}
