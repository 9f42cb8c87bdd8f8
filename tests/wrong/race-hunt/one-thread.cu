// Needs no barrier, since one thread of each block does its rows alone.
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

extern "C" __global__ void standardise(const float *in, float *out, int rows, int cols) { //~ too-much-work: global_reads_per_thread
    if (threadIdx.x != 0) return;
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        float v[THREADS], sum = 0, largest = 0;
        for (int c = 0; c < cols; c++) { v[c] = in[row * cols + c]; sum += v[c]; }
        for (int c = 0; c < cols; c++) { v[c] -= sum / cols; largest = fmaxf(largest, fabsf(v[c])); }
        for (int c = 0; c < cols; c++) out[row * cols + c] = largest > 0 ? v[c] / largest : 0;
    }
}
