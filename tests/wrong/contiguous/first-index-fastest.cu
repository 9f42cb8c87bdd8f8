// Right, but from lane to lane the first index changes: the writes lie apart.
extern "C" __global__ void contiguous(const float *in, float *out, int n0, int n1, int n2, int n3,
                                      int s0, int s1, int s2, int s3) { //~ too-much-work: store_sectors
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n0 * n1 * n2 * n3) {
        int i0 = i % n0, rest = i / n0;
        int i1 = rest % n1;
        rest /= n1;
        int i2 = rest % n2, i3 = rest / n2;
        out[((i0 * n1 + i1) * n2 + i2) * n3 + i3] = in[i0 * s0 + i1 * s1 + i2 * s2 + i3 * s3];
    }
}
