// A block takes so much shared memory that few run at once.
//
// launch: grid 16 block 64 shared 40000
// multiprocessors: 2
// in a: f32 1024 = i
// out b: f32 1024
// expect b[i] = i + 63 - i % 64 - i % 64
// advice: P006
extern "C" __global__ void much_shared_memory(const float *a, float *b) {
    extern __shared__ float s[];
    int i = blockIdx.x * blockDim.x + threadIdx.x; //~ P006
    s[threadIdx.x] = a[i];
    __syncthreads();
    b[i] = s[63 - threadIdx.x];
}
