// out[row][c] = (in[row][c] - mean) / sqrt(variance + 1e-5) * gain[c] + bias[c], in double.

// The sum of the values of all threads of the block.
__device__ double sum_of_all(double value) {
    __shared__ double all[1024];
    __syncthreads();
    all[threadIdx.x] = value;
    for (int half = 512; half > 0; half /= 2) {
        __syncthreads();
        int other = threadIdx.x + half;
        if (threadIdx.x < half && other < blockDim.x) {
            all[threadIdx.x] += all[other];
        }
    }
    __syncthreads();
    return all[0];
}

extern "C" __global__ void layernorm(const float *in, const float *gain, const float *bias,
                                     float *out, int cols) {
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;
    double mean = 0, variance = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        mean += in[c];
    }
    mean = sum_of_all(mean) / cols;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        variance += (in[c] - mean) * (in[c] - mean);
    }
    variance = sum_of_all(variance) / cols;
    double root = sqrt(variance + 1e-5);
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        out[c] = (float)((in[c] - mean) / root * gain[c] + bias[c]);
    }
}
