// No guard: the last block has more threads than elements.
extern "C" __global__ void contiguous(const float *in, float *out, int n0, int n1, int n2, int n3,
                                      int s0, int s1, int s2, int s3) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int i3 = i % n3, i2 = i / n3 % n2, i1 = i / n3 / n2 % n1, i0 = i / n3 / n2 / n1;
    out[i] = in[i0 * s0 + i1 * s1 + i2 * s2 + i3 * s3]; //~ out-of-bounds
}
