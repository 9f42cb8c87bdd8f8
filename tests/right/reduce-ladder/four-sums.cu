// Plain elements, added into four sums; shuffles by xor.
#define THREADS 256 // a power of two
#define ALL_LANES 0xffffffffu

__device__ float warp_sum(float value) {
    for (int half = 16; half > 0; half /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, half);
    }
    return value;
}

extern "C" __global__ void reduce(const float *in, float *sums, int n) {
    __shared__ float s[THREADS / 32];
    int t = threadIdx.x;
    int warp = t / 32, lane = t % 32;

    float part[4] = {};
    int i = blockIdx.x * THREADS + t, jump = gridDim.x * THREADS;
    for (; i + 3 * jump < n; i += 4 * jump) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            part[k] += in[i + k * jump];
        }
    }
    for (; i < n; i += jump) {
        part[0] += in[i];
    }
    float sum = part[0] + part[1] + part[2] + part[3];

    sum = warp_sum(sum);
    if (lane == 0) {
        s[warp] = sum;
    }
    __syncthreads();

    if (warp == 0) {
        sum = warp_sum(lane < THREADS / 32 ? s[lane] : 0);
        if (lane == 0) {
            sums[blockIdx.x] = sum;
        }
    }
}
