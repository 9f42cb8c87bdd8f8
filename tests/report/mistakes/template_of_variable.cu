template <int STEP> __device__ float turn(float x) {
    return x * STEP;
}

extern "C" __global__ void map(const float *in, float *out) {
    float x = in[threadIdx.x];
    for (int step = 0; step < 3; step++) x = turn<step>(x);
    out[threadIdx.x] = x;
}
