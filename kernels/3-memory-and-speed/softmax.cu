// softmax: out[row][c] = exp(in[row][c]) / the sum of exp(in[row][…]).
//
// in, out: (rows, cols), row-major. One block for each row; it has a warp for
// each 256 columns, but at most 32 warps.
//
// This kernel is right, but reads each element three times.

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

// The largest value of the block's threads, for all of them. s: room for 32
// floats in shared memory, which nothing else uses.
__device__ float block_max(float value, float *s) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    value = warp_max(value);
    if (lane == 0) {
        s[warp] = value;
    }
    __syncthreads();
    return warp_max(lane < blockDim.x / 32 ? s[lane] : LOWEST);
}

// The sum of the values of the block's threads, for all of them. s: as above.
__device__ float block_sum(float value, float *s) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    value = warp_sum(value);
    if (lane == 0) {
        s[warp] = value;
    }
    __syncthreads();
    return warp_sum(lane < blockDim.x / 32 ? s[lane] : 0);
}

extern "C" __global__ void softmax(const float *in, float *out, int cols) {
    __shared__ float tops[32], sums[32];
    int t = threadIdx.x, threads = blockDim.x;
    // From here on, in[c] is in this row. (long long, since a large matrix has more
    // elements than an int can count.)
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;

    // The largest of the row.
    float top = LOWEST;
    for (int c = t; c < cols; c += threads) {
        top = fmaxf(top, in[c]);
    }
    top = block_max(top, tops);

    // The sum.
    float sum = 0;
    for (int c = t; c < cols; c += threads) {
        sum += expf(in[c] - top);
    }
    sum = block_sum(sum, sums);

    for (int c = t; c < cols; c += threads) {
        out[c] = expf(in[c] - top) / sum;
    }
}
