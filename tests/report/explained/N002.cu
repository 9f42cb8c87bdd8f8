// launch: grid 1 block 4
// in x: f32 4 = i * 100
// out b: f32 4
// finding: N002
extern "C" __global__ void powers(const float *x, float *b) {
    int i = threadIdx.x;
    float greatest = 300, e;
#ifdef FIXED
    e = expf(x[i] - greatest);
#else
    e = expf(x[i]);
#endif
    b[i] = e;
}
