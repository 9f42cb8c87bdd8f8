// Each block adds a part of its own; one thread adds the warps' sums.
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
    int part = (n / 4 + gridDim.x - 1) / gridDim.x;
    part = (part + 7) / 8 * 8;
    int end = min(n / 4, (int)(blockIdx.x + 1) * part);
    float sum = 0;
    for (int q = blockIdx.x * part + t; q < end; q += THREADS) {
        float4 v = fours[q];
        sum += v.x;
        sum += v.y;
        sum += v.z;
        sum += v.w;
    }
    if (blockIdx.x == gridDim.x - 1 && t < n % 4) {
        sum += in[n - 1 - t];
    }

    sum = warp_sum(sum);
    if (lane == 0) {
        s[warp] = sum;
    }
    __syncthreads();

    if (t == 0) {
        for (int w = 1; w < THREADS / 32; w++) {
            sum += s[w];
        }
        sums[blockIdx.x] = sum;
    }
}
