// launch: grid 2 block 64
// in in: f32 128 = i
// out out: f32 128
// finding: P004
extern "C" __global__ void copy(const float *in, float *out) {
    __shared__ float s[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = in[i];
#ifndef FIXED
    __syncthreads();
#endif
    out[i] = s[t];
}
