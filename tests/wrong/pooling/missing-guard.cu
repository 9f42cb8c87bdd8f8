// No guard on the right: the surplus threads read past the end of in.
#define MAX_THREADS 256
extern "C" __global__ void pooling(const float *in, float *out, int n) {
    __shared__ float tile[MAX_THREADS];
    int i = threadIdx.x;
    tile[i] = in[i]; //~ out-of-bounds
    __syncthreads();
    float sum = tile[i];
    if (i >= 1) {
        sum += tile[i - 1];
    }
    if (i >= 2) {
        sum += tile[i - 2];
    }
    out[i] = sum;
}
