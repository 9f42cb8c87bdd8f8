// Each thread keeps a mean that moves with its elements; pairs of means are joined.
#define EPSILON 1e-5f
#define ALL_LANES 0xffffffffu

struct Moments {
    float count, mean, squares;
};

__device__ Moments join(Moments a, Moments b) {
    float count = a.count + b.count;
    if (count == 0) {
        return a;
    }
    float d = b.mean - a.mean, share = b.count / count;
    return {count, a.mean + d * share, a.squares + b.squares + d * d * a.count * share};
}

__device__ Moments join_warp(Moments m) {
    for (int d = 16; d > 0; d /= 2) {
        Moments other = {__shfl_xor_sync(ALL_LANES, m.count, d),
                         __shfl_xor_sync(ALL_LANES, m.mean, d),
                         __shfl_xor_sync(ALL_LANES, m.squares, d)};
        m = join(m, other);
    }
    return m;
}

extern "C" __global__ void layernorm(const float *in, const float *gain, const float *bias,
                                     float *out, int cols) {
    __shared__ Moments all[32];
    int t = threadIdx.x, lane = t % 32;
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;
    Moments m = {0, 0, 0};
    for (int c = t; c < cols; c += blockDim.x) {
        float d = in[c] - m.mean;
        m.count += 1;
        m.mean += d / m.count;
        m.squares += d * (in[c] - m.mean);
    }
    m = join_warp(m);
    if (lane == 0) {
        all[t / 32] = m;
    }
    __syncthreads();
    Moments none = {0, 0, 0};
    m = join_warp(lane < blockDim.x / 32 ? all[lane] : none);
    float scale = rsqrtf(m.squares / cols + EPSILON);
    for (int c = t; c < cols; c += blockDim.x) {
        out[c] = (in[c] - m.mean) * scale * gain[c] + bias[c];
    }
}
