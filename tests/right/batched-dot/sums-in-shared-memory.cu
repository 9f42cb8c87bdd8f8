// The lanes' sums meet in shared memory, in a tree of one warp.
extern "C" __global__ void batched_dot(const float *a, const float *b, float *t, float *out,
                                       int batch, int n) {
    __shared__ float sums[8][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + warp;
    float sum = 0;
    if (row < batch) {
        for (int i = lane; i < n; i += 32) {
            sum += a[row * n + i] * b[row * n + i];
        }
    }
    sums[warp][lane] = sum;
    for (int d = 16; d > 0; d /= 2) {
        __syncwarp();
        if (lane < d) {
            sums[warp][lane] += sums[warp][lane + d];
        }
    }
    if (lane == 0 && row < batch) {
        out[row] = sums[warp][0];
    }
}
