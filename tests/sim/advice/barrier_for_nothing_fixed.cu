// Each thread reads what its neighbour wrote.
//
// launch: grid 2 block 64
// in a: f32 128 = i
// out b: f32 128
// expect b[i] = (i - i % 64 + 63 - i % 64) * 2
// advice:
extern "C" __global__ void barrier_for_nothing_fixed(const float *a, float *b) {
    __shared__ float s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = a[i];
    __syncthreads();
    b[i] = s[63 - threadIdx.x] * 2;
}
