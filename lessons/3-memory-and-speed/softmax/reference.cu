// out[row][c] = exp(in[row][c]) / the sum over the row, in double.

// The largest, or the sum, of the values of all threads of the block.
template <bool largest> __device__ double of_all(double value) {
    __shared__ double all[1024];
    __syncthreads();
    all[threadIdx.x] = value;
    for (int half = 512; half > 0; half /= 2) {
        __syncthreads();
        int other = threadIdx.x + half;
        if (threadIdx.x < half && other < blockDim.x) {
            double &mine = all[threadIdx.x];
            mine = largest ? fmax(mine, all[other]) : mine + all[other];
        }
    }
    __syncthreads();
    return all[0];
}

extern "C" __global__ void softmax(const float *in, float *out, int cols) {
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;
    double top = in[0], sum = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        top = fmax(top, (double)in[c]);
    }
    top = of_all<true>(top);
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        sum += exp(in[c] - top);
    }
    sum = of_all<false>(sum);
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        out[c] = (float)(exp(in[c] - top) / sum);
    }
}
