// One loop over the three; the thread's own element stays in a register.
extern "C" __global__ void pooling(const float *in, float *out, int n) {
    __shared__ float tile[256];
    int i = threadIdx.x;
    float sum = i < n ? in[i] : 0;
    tile[i] = sum;
    __syncthreads();
    for (int back = 1; back <= 2 && back <= i; back++) {
        sum += tile[i - back];
    }
    if (i < n) {
        out[i] = sum;
    }
}
