// Neighbours of the same warp come by shuffles; only a warp's edge is shared.
extern "C" __global__ void pooling(const float *in, float *out, int n) {
    __shared__ float edge[8][2];
    int i = threadIdx.x, lane = i % 32, warp = i / 32;
    unsigned lanes = blockDim.x < 32 ? (1u << blockDim.x) - 1 : 0xffffffff;
    float mine = i < n ? in[i] : 0;
    if (lane >= 30) {
        edge[warp][lane - 30] = mine;
    }
    float one = __shfl_up_sync(lanes, mine, 1), two = __shfl_up_sync(lanes, mine, 2);
    __syncthreads();
    if (lane == 0) {
        one = warp > 0 ? edge[warp - 1][1] : 0;
    }
    if (lane < 2) {
        two = warp > 0 ? edge[warp - 1][lane] : 0;
    }
    if (i < n) {
        out[i] = mine + one + two;
    }
}
