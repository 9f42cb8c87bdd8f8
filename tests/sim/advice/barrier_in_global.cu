// The barrier orders accesses to global memory, which counts as well; the one before it orders none.
//
// launch: grid 1 block 64
// out s: f32 64
// out b: f32 64
// expect b[i] = 63 - i
// advice: P004
extern "C" __global__ void barrier_in_global(float *s, float *b) {
    int t = threadIdx.x;
    __syncthreads(); //~ P004
    s[t] = t;
    __syncthreads();
    b[t] = s[63 - t];
}
