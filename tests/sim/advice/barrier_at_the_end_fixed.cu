// In a loop the next round writes what this one reads: both barriers are needed.
//
// launch: grid 1 block 64
// inout b: f32 64 = i
// expect b[i] = i
// advice:
extern "C" __global__ void barrier_at_the_end_fixed(float *b) {
    __shared__ float s[64];
    for (int k = 0; k < 2; k++) {
        s[threadIdx.x] = b[threadIdx.x];
        __syncthreads();
        b[threadIdx.x] = s[63 - threadIdx.x];
        __syncthreads();
    }
}
