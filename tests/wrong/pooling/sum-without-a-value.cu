// The sum starts from nothing.
#define MAX_THREADS 256

extern "C" __global__ void pooling(const float *in, float *out, int n) {
    __shared__ float tile[MAX_THREADS];
    int i = threadIdx.x;
    if (i < n) {
        tile[i] = in[i];
    }
    __syncthreads();
    if (i < n) {
        float sum;
        for (int back = 0; back < 3; back++) {
            if (i >= back) sum += tile[i - back]; //~ undefined-variable
        }
        out[i] = sum;
    }
}
