extern "C" __global__ void map(in, out) {
    int i = threadIdx.x;
    out[i] = in[i] + 10;
}
