// Threads without a column put a distance of 1 into the tree.
#define THREADS 64

__device__ float block_sum(float value, float *s) {
    int t = threadIdx.x;
    s[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            s[t] += s[t + half];
        }
        __syncthreads();
    }
    float sum = s[0];
    __syncthreads();
    return sum;
}

__device__ float block_max(float value, float *s) {
    int t = threadIdx.x;
    s[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            s[t] = fmaxf(s[t], s[t + half]);
        }
        __syncthreads();
    }
    float largest = s[0];
    __syncthreads();
    return largest;
}

extern "C" __global__ void standardise(const float *in, float *out, int rows, int cols) {
    __shared__ float s[THREADS];
    int col = threadIdx.x;
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        float value = col < cols ? in[row * cols + col] : 0;
        float mean = block_sum(value, s) / cols;
        float distance = col < cols ? value - mean : 1; //~ wrong-result
        float largest = block_max(fabsf(distance), s);
        if (col < cols) {
            out[row * cols + col] = largest > 0 ? distance / largest : 0;
        }
    }
}
