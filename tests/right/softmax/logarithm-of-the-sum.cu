// The result is exp(x - (top + log(sum))); two elements are read at a time.
#define ALL_LANES 0xffffffffu
#define LOWEST -3.0e38f

extern "C" __global__ void softmax(const float *in, float *out, int cols) {
    __shared__ float tops[32], sums[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, threads = blockDim.x;
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;
    float top = LOWEST, sum = 0;
    for (int c = t; c < cols; c += 2 * threads) {
        float x = in[c], y = c + threads < cols ? in[c + threads] : LOWEST;
        float larger = fmaxf(top, fmaxf(x, y));
        sum = sum * expf(top - larger) + expf(x - larger) + expf(y - larger);
        top = larger;
    }
    float mine = top;
    for (int d = 1; d < 32; d *= 2) {
        top = fmaxf(top, __shfl_xor_sync(ALL_LANES, top, d));
    }
    sum *= expf(mine - top);
    for (int d = 1; d < 32; d *= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, d);
    }
    if (lane == 0) {
        tops[warp] = top;
        sums[warp] = sum;
    }
    __syncthreads();
    top = LOWEST;
    for (int w = 0; w < threads / 32; w++) {
        top = fmaxf(top, tops[w]);
    }
    sum = 0;
    for (int w = 0; w < threads / 32; w++) {
        sum += sums[w] * expf(tops[w] - top);
    }
    float below = top + logf(sum);
    for (int c = t; c < cols; c += threads) {
        out[c] = expf(in[c] - below);
    }
}
