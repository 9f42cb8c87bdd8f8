// Four elements are read before the first is used; the parts are joined by all threads.
#define AT_ONCE 4
#define ALL_LANES 0xffffffffu
#define LOWEST -3.0e38f // below every element

__device__ float warp_max(float value) {
    for (int d = 16; d > 0; d /= 2) {
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, d));
    }
    return value;
}

__device__ float warp_sum(float value) {
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, d);
    }
    return value;
}

extern "C" __global__ __launch_bounds__(1024) void softmax(const float *in, float *out, int cols) {
    __shared__ float tops[32], sums[32]; // of the block's warps
    int t = threadIdx.x, threads = blockDim.x;
    int warp = t / 32, lane = t % 32;
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;

    float top = LOWEST, sum = 0;
    for (int c = t; c < cols; c += AT_ONCE * threads) {
        float x[AT_ONCE];
        for (int k = 0; k < AT_ONCE; k++) {
            int col = c + k * threads;
            x[k] = col < cols ? in[col] : LOWEST;
        }
        float before = top;
        for (int k = 0; k < AT_ONCE; k++) {
            top = fmaxf(top, x[k]);
        }
        sum *= expf(before - top);
        for (int k = 0; k < AT_ONCE; k++) {
            sum += expf(x[k] - top); // 0 for LOWEST
        }
    }

    float warp_top = warp_max(top);
    sum = warp_sum(sum * expf(top - warp_top));
    if (lane == 0) {
        tops[warp] = warp_top;
        sums[warp] = sum;
    }
    __syncthreads();
    top = tops[0];
    for (int w = 1; w < threads / 32; w++) {
        top = fmaxf(top, tops[w]);
    }
    sum = 0;
    for (int w = 0; w < threads / 32; w++) {
        sum += sums[w] * expf(tops[w] - top);
    }

    float scale = 1 / sum;
    for (int c = t; c < cols; c += AT_ONCE * threads) {
        float x[AT_ONCE];
        for (int k = 0; k < AT_ONCE; k++) {
            int col = c + k * threads;
            x[k] = col < cols ? in[col] : LOWEST;
        }
        for (int k = 0; k < AT_ONCE; k++) {
            int col = c + k * threads;
            if (col < cols) {
                out[col] = expf(x[k] - top) * scale;
            }
        }
    }
}
