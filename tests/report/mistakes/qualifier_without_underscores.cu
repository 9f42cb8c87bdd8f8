extern "C" __global__ void shared(const float *in, float *out) {
    shared float tile[32];
    tile[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = tile[threadIdx.x];
}
