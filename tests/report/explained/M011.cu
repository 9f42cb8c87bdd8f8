// launch: grid 1 block 32
// out y: f32 32
// finding: M011
#ifdef FIXED
__device__ __noinline__ void corners(float x, float *c) {
    c[0] = x - 1;
    c[1] = x + 1;
}
#else
__device__ __noinline__
__device__ float *corners(float x) {
    float c[2] = {x - 1, x + 1};
    return c;                 // c ends here
}
#endif
extern "C" __global__ void k(float *y) {
#ifdef FIXED
    float c[2];
    corners(threadIdx.x, c);
#else
    float *c = corners(threadIdx.x);
#endif
    y[threadIdx.x] = c[threadIdx.x % 2];
}
