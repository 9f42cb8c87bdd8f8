// A table is filled in part, copied, and the copy says where to read.
// launch: grid 1 block 64
// in x: f32 64 = i * 0.5
// out y: f32 64
// finding: I001
extern "C" __global__ void permute(const float *x, float *y) {
    __shared__ int from[64], order[64];
    int t = threadIdx.x;
    if (t < 48) from[t] = 47 - t;
    __syncthreads();
    order[t] = from[t]; //~ I001
    __syncthreads();
    y[t] = x[order[63 - t] & 63];
}
