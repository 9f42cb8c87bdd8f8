// launch: grid 1 block 64
// out s: f32 64
// out b: f32 64
// expect b[i] = 63 - i
// advice:
extern "C" __global__ void barrier_in_global_fixed(float *s, float *b) {
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    b[t] = s[63 - t];
}
