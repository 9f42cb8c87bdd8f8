// Extents and strides in arrays, and a loop over the four axes.
extern "C" __global__ void contiguous(const float *in, float *out, int n0, int n1, int n2, int n3,
                                      int s0, int s1, int s2, int s3) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n0 * n1 * n2 * n3) {
        const int extents[] = {n3, n2, n1, n0}, strides[] = {s3, s2, s1, s0};
        int rest = i, at = 0;
#pragma unroll
        for (int axis = 0; axis < 4; axis++) {
            at += rest % extents[axis] * strides[axis];
            rest /= extents[axis];
        }
        out[i] = in[at];
    }
}
