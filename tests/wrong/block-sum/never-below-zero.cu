// 0 / 2 is 0: the loop goes on for ever.
#define MAX_THREADS 256

extern "C" __global__ void block_sum(const float *in, float *out, int n) {
    __shared__ float s[MAX_THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    s[t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int half = blockDim.x / 2; half >= 0; half /= 2) {
        if (t < half) {
            s[t] += s[t + half];
        }
        __syncthreads(); //~ endless-loop
    }

    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
}
