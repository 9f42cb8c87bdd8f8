// Adds each element to the result in global memory, one after the other.
extern "C" __global__ void axis_sum(const float *in, float *out, int rows, int cols) { //~ too-much-work: global_atomics
    int col = threadIdx.x;
    int row = blockIdx.y;
    if (threadIdx.x == 0) {
        out[row] = 0;
    }
    __syncthreads();
    if (col < cols) {
        atomicAdd(&out[row], in[row * cols + col]);
    }
}
