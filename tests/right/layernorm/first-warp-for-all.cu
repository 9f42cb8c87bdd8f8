// The first warp joins the sums for all.
#define AT_ONCE 8 // elements that a thread reads before it uses the first
#define EPSILON 1e-5f
#define ALL_LANES 0xffffffffu

__device__ float warp_sum(float value) {
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, d);
    }
    return value;
}

extern "C" __global__ __launch_bounds__(1024, 2) void
layernorm(const float *in, const float *gain, const float *bias, float *out, int cols) {
    __shared__ float sums[32], squares[32]; // of the block's warps
    int t = threadIdx.x, threads = blockDim.x;
    int warp = t / 32, lane = t % 32;
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;

    float shift = in[0];

    float sum = 0, square = 0;
    float x[AT_ONCE];
    for (int c = t; c < cols; c += AT_ONCE * threads) {
        for (int k = 0; k < AT_ONCE; k++) {
            int col = c + k * threads;
            x[k] = col < cols ? in[col] : shift;
        }
        for (int k = 0; k < AT_ONCE; k++) {
            float d = x[k] - shift; // 0 past the end
            sum += d;
            square += d * d;
        }
    }

    sum = warp_sum(sum);
    square = warp_sum(square);
    if (lane == 0) {
        sums[warp] = sum;
        squares[warp] = square;
    }
    __syncthreads();
    if (warp == 0) {
        sum = warp_sum(lane < threads / 32 ? sums[lane] : 0);
        square = warp_sum(lane < threads / 32 ? squares[lane] : 0);
        __syncwarp();
        if (lane == 0) {
            sums[0] = sum;
            squares[0] = square;
        }
    }
    __syncthreads();
    sum = sums[0];
    square = squares[0];

    float mean_d = sum / cols;
    float mean = shift + mean_d;
    float variance = fmaxf(square / cols - mean_d * mean_d, 0); // rounding may go below
    float scale = rsqrtf(variance + EPSILON);

    for (int c = t; c < cols; c += AT_ONCE * threads) {
        if (cols > AT_ONCE * threads) {
            for (int k = 0; k < AT_ONCE; k++) {
                int col = c + k * threads;
                x[k] = col < cols ? in[col] : 0;
            }
        }
        for (int k = 0; k < AT_ONCE; k++) {
            int col = c + k * threads;
            if (col < cols) {
                out[col] = (x[k] - mean) * scale * gain[col] + bias[col];
            }
        }
    }
}
