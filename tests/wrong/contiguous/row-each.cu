// Right, but a thread does a whole row.
extern "C" __global__ void contiguous(const float *in, float *out, int n0, int n1, int n2, int n3,
                                      int s0, int s1, int s2, int s3) { //~ too-much-work: global_reads_per_thread
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n0 * n1 * n2) {
        int i2 = row % n2, i1 = row / n2 % n1, i0 = row / n2 / n1;
        for (int i3 = 0; i3 < n3; i3++) {
            out[row * n3 + i3] = in[i0 * s0 + i1 * s1 + i2 * s2 + i3 * s3];
        }
    }
}
