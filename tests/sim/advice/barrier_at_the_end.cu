// After the last barrier only the end of the kernel follows.
//
// launch: grid 1 block 64
// in a: f32 64 = i
// out b: f32 64
// expect b[i] = 63 - i
// advice: P004
extern "C" __global__ void barrier_at_the_end(const float *a, float *b) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = s[63 - threadIdx.x];
    __syncthreads(); //~ P004
}
