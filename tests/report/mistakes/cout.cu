extern "C" __global__ void map(const float *in, float *out) {
    int i = threadIdx.x;
    std::cout << i;
    out[i] = in[i] + 10;
}
