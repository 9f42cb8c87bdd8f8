// layernorm: out[row][c] = (in[row][c] - mean) / deviation * gain[c] + bias[c],
// with mean and deviation of the row: deviation = sqrt(variance + EPSILON).
//
// in, out: (rows, cols), row-major. gain, bias: cols floats.
// One block for each row; it has a warp for each 256 columns, but at most 32.

#define AT_ONCE 8 // elements that a thread reads before it uses the first
#define EPSILON 1e-5f
#define ALL_LANES 0xffffffffu

// The sum of the values of the 32 lanes, for all of them.
__device__ float warp_sum(float value) {
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, d);
    }
    return value;
}

// Two blocks of 1024 threads on a multiprocessor, so that one reads while the
// other waits at its barrier: for that, a thread may use 32 registers.
extern "C" __global__ __launch_bounds__(1024, 2) void
layernorm(const float *in, const float *gain, const float *bias, float *out, int cols) {
    __shared__ float sums[32], squares[32]; // of the block's warps
    int t = threadIdx.x, threads = blockDim.x;
    int warp = t / 32, lane = t % 32;
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;

    // Any element of the row will do: it is not far from the mean. So d is
    // small below, and d * d keeps the digits that the variance needs.
    float shift = in[0];

    // First reading: the sums of d = x - shift and of its square together.
    float sum = 0, square = 0;
    float x[AT_ONCE];
    for (int c = t; c < cols; c += AT_ONCE * threads) {
        // Eight reads are under way at the same time, since none of them waits
        // for what is done with another.
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

    // The lanes of a warp by shuffles, the warps through shared memory.
    sum = warp_sum(sum);
    square = warp_sum(square);
    if (lane == 0) {
        sums[warp] = sum;
        squares[warp] = square;
    }
    __syncthreads();
    // Each warp adds up the warps' sums for itself, so no thread has to wait a
    // second time.
    sum = warp_sum(lane < threads / 32 ? sums[lane] : 0);
    square = warp_sum(lane < threads / 32 ? squares[lane] : 0);

    // A shift changes the mean, but not how far the elements lie from it.
    float mean_d = sum / cols;
    float mean = shift + mean_d;
    float variance = fmaxf(square / cols - mean_d * mean_d, 0); // rounding may go below
    float scale = rsqrtf(variance + EPSILON);

    // The result. A row of up to 8192 elements is still in x, in the registers of
    // its threads. A longer one is read again: it was read a moment ago, so a
    // cache may still have it.
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
