extern "C" __global__ void map(const float *in, float *out) {
    __shared__ float s[32];
    __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(float));
}
