// It takes what it needs, and has more threads.
//
// launch: grid 32 block 256 shared 1024
// multiprocessors: 2
// in a: f32 8192 = i
// out b: f32 8192
// expect b[i] = i + 255 - i % 256 - i % 256
// advice:
extern "C" __global__ void much_shared_memory_fixed(const float *a, float *b) {
    extern __shared__ float s[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = a[i];
    __syncthreads();
    b[i] = s[255 - threadIdx.x];
}
