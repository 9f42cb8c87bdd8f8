// Takes i apart by the strides of the input, which count another order.
extern "C" __global__ void contiguous(const float *in, float *out, int n0, int n1, int n2, int n3,
                                      int s0, int s1, int s2, int s3) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n0 * n1 * n2 * n3) {
        int i0 = i / s0, rest = i % s0;
        int i1 = rest / s1;
        rest %= s1;
        int i2 = rest / s2, i3 = rest % s2 / s3;
        out[i] = in[i0 * s0 + i1 * s1 + i2 * s2 + i3 * s3]; //~ wrong-result
    }
}
