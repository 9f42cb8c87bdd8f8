// A table is filled, copied, and the copy says where to read.
// launch: grid 1 block 64
// in x: f32 64 = i * 0.5
// out y: f32 64
// expect y[i] = i * 0.5
extern "C" __global__ void permute(const float *x, float *y) {
    __shared__ int from[64], order[64];
    int t = threadIdx.x;
    from[t] = 63 - t;
    __syncthreads();
    order[t] = from[t];
    __syncthreads();
    y[t] = x[order[t] ^ 63];
}
