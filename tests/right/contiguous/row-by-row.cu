// What three axes make is found first, as a row; the last axis is added.
extern "C" __global__ void contiguous(const float *in, float *out, int n0, int n1, int n2, int n3,
                                      int s0, int s1, int s2, int s3) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n0 * n1 * n2 * n3) {
        int row = i / n3, i3 = i - row * n3;
        int sheet = row / n2, i2 = row - sheet * n2;
        int at = sheet / n1 * s0 + sheet % n1 * s1 + i2 * s2;
        float value = in[at + i3 * s3];
        out[i] = value;
    }
}
