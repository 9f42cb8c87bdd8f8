// Each thread reads again what it wrote itself: nobody needs the barrier.
//
// launch: grid 2 block 64
// in a: f32 128 = i
// out b: f32 128
// expect b[i] = i * 2
// advice: P004
extern "C" __global__ void barrier_for_nothing(const float *a, float *b) {
    __shared__ float s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = a[i];
    __syncthreads(); //~ P004
    b[i] = s[threadIdx.x] * 2;
}
