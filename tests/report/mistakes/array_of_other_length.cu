__device__ void clear(float (&sums)[128]) {
    for (float &sum : sums) sum = 0;
}

extern "C" __global__ void map(const float *in, float *out) {
    float sums[64];
    clear(sums);
    out[threadIdx.x] = in[threadIdx.x] + sums[0];
}
