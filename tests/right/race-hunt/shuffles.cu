// Shuffles in the warps; two sums of warps meet in shared memory.
#define THREADS 64 // a power of two

__device__ float block_sum(float value, float *s) {
    int t = threadIdx.x;
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_down_sync(0xffffffff, value, d);
    }
    if (t % 32 == 0) {
        s[t / 32] = value;
    }
    __syncthreads();
    float sum = s[0] + s[1];
    __syncthreads();
    return sum;
}

__device__ float block_max(float value, float *s) {
    int t = threadIdx.x;
    for (int d = 1; d < 32; d *= 2) {
        value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, d));
    }
    if (t % 32 == 0) {
        s[t / 32] = value;
    }
    __syncthreads();
    float largest = fmaxf(s[0], s[1]);
    __syncthreads();
    return largest;
}

extern "C" __global__ void standardise(const float *in, float *out, int rows, int cols) {
    __shared__ float s[THREADS / 32];
    int col = threadIdx.x;
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        float value = col < cols ? in[row * cols + col] : 0;
        float mean = block_sum(value, s) / cols;
        float distance = col < cols ? value - mean : 0;
        float largest = block_max(fabsf(distance), s);
        if (col < cols) {
            out[row * cols + col] = largest > 0 ? distance / largest : 0;
        }
    }
}
