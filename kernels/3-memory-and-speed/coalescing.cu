// add_bias: out[row][col] = in[row][col] + bias[col].
//
// in, out: (rows, cols), row-major. bias: cols floats.
// Enough blocks of 256 threads to have a thread for each element.
//
// This kernel is right, but the threads of a warp are far apart in memory.

extern "C" __global__ void add_bias(const float *in, const float *bias, float *out,
                                    int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i % rows;
    int col = i / rows;
    if (col < cols) {
        out[row * cols + col] = in[row * cols + col] + bias[col];
    }
}
