// The four places are found from the slowest on, by subtraction.
extern "C" __global__ void contiguous(const float *in, float *out, int n0, int n1, int n2, int n3,
                                      int s0, int s1, int s2, int s3) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n0 * n1 * n2 * n3) {
        int rest = i;
        int i0 = rest / (n1 * n2 * n3);
        rest -= i0 * n1 * n2 * n3;
        int i1 = rest / (n2 * n3);
        rest -= i1 * n2 * n3;
        int i2 = rest / n3, i3 = rest - i2 * n3;
        const float *from = in + i0 * s0;
        from += i1 * s1;
        from += i2 * s2;
        out[i] = from[i3 * s3];
    }
}
