// Largest and sum go through the shuffles together; one element at a time.
#define ALL_LANES 0xffffffffu
#define LOWEST -3.0e38f

__device__ void join(float &top, float &sum, float other_top, float other_sum) {
    float larger = fmaxf(top, other_top);
    sum = sum * expf(top - larger) + other_sum * expf(other_top - larger);
    top = larger;
}

extern "C" __global__ void softmax(const float *in, float *out, int cols) {
    __shared__ float2 parts[32];
    int t = threadIdx.x, lane = t % 32, warps = blockDim.x / 32;
    const float *row = in + (long long)blockIdx.x * cols;
    float *to = out + (long long)blockIdx.x * cols;
    float top = LOWEST, sum = 0;
    for (int c = t; c < cols; c += blockDim.x) {
        float x = row[c];
        if (x > top) {
            sum = sum * expf(top - x) + 1;
            top = x;
        } else {
            sum += expf(x - top);
        }
    }
    for (int d = 16; d > 0; d /= 2) {
        float other_top = __shfl_xor_sync(ALL_LANES, top, d);
        float other_sum = __shfl_xor_sync(ALL_LANES, sum, d);
        join(top, sum, other_top, other_sum);
    }
    if (lane == 0) {
        parts[t / 32] = make_float2(top, sum);
    }
    __syncthreads();
    float2 all = parts[0];
    for (int w = 1; w < warps; w++) {
        join(all.x, all.y, parts[w].x, parts[w].y);
    }
    for (int c = t; c < cols; c += blockDim.x) {
        to[c] = expf(row[c] - all.x) / all.y;
    }
}
