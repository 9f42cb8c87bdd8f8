// Dynamic shared memory, carved into a float and an int array beside a static one.
// launch: grid 2 block 32 shared 256
// in a: f32 64 = i * 0.5
// out y: f32 64
// expect y[i] = a[i/32*32 + 31 - i%32] + (31 - i%32) * 2 + (i % 32 + 1) % 32
extern "C" __global__ void carve(const float *a, float *y) {
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ short fixed[32];
    float *floats = (float *)memory;
    int *ints = (int *)(memory + 128);
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    floats[t] = a[i];
    ints[t] = t * 2;
    fixed[t] = (short)t;
    __syncthreads();
    y[i] = floats[31 - t] + ints[31 - t] + fixed[(t + 1) % 32];
}
