// launch: grid 4 block 64
// in a: f32 256 = i
// out b: f32 256
// finding: P003
extern "C" __global__ void some_work(const float *a, float *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    auto work = [&] {
        for (volatile int k = 0; k < 100; k = k + 1) x += 1;
    };
#ifdef FIXED
    if (threadIdx.x / 32 % 2) work();
#else
    if (threadIdx.x % 2) work();
#endif
    b[i] = x;
}
