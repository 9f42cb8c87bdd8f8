// softmax: out[row][c] = exp(in[row][c]) / the sum of exp(in[row][…]).
//
// in, out: (rows, cols), row-major. One block for each row; it has a warp for
// each 256 columns, but at most 32 warps.

#define AT_ONCE 8 // elements that a thread reads before it uses the first
#define ALL_LANES 0xffffffffu
#define LOWEST -3.0e38f // below every element

// The largest value of the 32 lanes, for all of them.
__device__ float warp_max(float value) {
    for (int d = 16; d > 0; d /= 2) {
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, d));
    }
    return value;
}

// The sum of the values of the 32 lanes, for all of them.
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

    // First reading: the largest so far, and the sum of exp(x - largest so far).
    float top = LOWEST, sum = 0;
    for (int c = t; c < cols; c += AT_ONCE * threads) {
        // Eight reads are under way at the same time, since none of them waits
        // for what is done with another.
        float x[AT_ONCE];
        for (int k = 0; k < AT_ONCE; k++) {
            int col = c + k * threads;
            x[k] = col < cols ? in[col] : LOWEST;
        }
        float before = top;
        for (int k = 0; k < AT_ONCE; k++) {
            top = fmaxf(top, x[k]);
        }
        // exp(x - top) is exp(x - before) times exp(before - top), for every x:
        // so one factor converts the whole sum to the new top.
        sum *= expf(before - top);
        for (int k = 0; k < AT_ONCE; k++) {
            sum += expf(x[k] - top); // 0 for LOWEST
        }
    }

    // The same among the lanes of a warp: first agree on the top, then convert
    // each sum to it. (A lane without elements has the sum 0.)
    float warp_top = warp_max(top);
    sum = warp_sum(sum * expf(top - warp_top));
    if (lane == 0) {
        tops[warp] = warp_top;
        sums[warp] = sum;
    }
    __syncthreads();
    // And among the warps. Each warp does it for itself, so no thread has to
    // wait a second time.
    float other_top = lane < threads / 32 ? tops[lane] : LOWEST;
    float other_sum = lane < threads / 32 ? sums[lane] : 0;
    top = warp_max(other_top);
    sum = warp_sum(other_sum * expf(other_top - top));

    // Second reading: the row was read a moment ago, so a cache still has it.
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
