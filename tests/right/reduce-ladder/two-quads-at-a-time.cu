// Two float4 are read before the first is added.
#define THREADS 256 // a power of two
#define ALL_LANES 0xffffffffu

__device__ float warp_sum(float value) {
    for (int half = 16; half > 0; half /= 2) {
        value += __shfl_down_sync(ALL_LANES, value, half);
    }
    return value;
}

extern "C" __global__ void reduce(const float *in, float *sums, int n) {
    __shared__ float s[THREADS / 32];
    int t = threadIdx.x;
    int warp = t / 32, lane = t % 32;

    const float4 *fours = (const float4 *)in;
    float sum = 0;
    int first = blockIdx.x * THREADS + t, jump = gridDim.x * THREADS;
    float other = 0;
    int q = first;
    for (; q + jump < n / 4; q += 2 * jump) {
        float4 v = fours[q], u = fours[q + jump];
        sum += (v.x + v.y) + (v.z + v.w);
        other += (u.x + u.y) + (u.z + u.w);
    }
    if (q < n / 4) {
        float4 v = fours[q];
        sum += (v.x + v.y) + (v.z + v.w);
    }
    sum += other;
    if (first < n % 4) {
        sum += in[n / 4 * 4 + first];
    }

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
