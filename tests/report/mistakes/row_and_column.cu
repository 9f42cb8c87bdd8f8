extern "C" __global__ void map(const float *in, float *out, int rows, int cols) {
    int row = blockIdx.y;
    int col = threadIdx.x;
    out[row][col] = in[row][col] + 10;
}
