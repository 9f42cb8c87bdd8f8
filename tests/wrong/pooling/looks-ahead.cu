// Adds the two elements behind it, not before it.
#define MAX_THREADS 256

extern "C" __global__ void pooling(const float *in, float *out, int n) {
    __shared__ float tile[MAX_THREADS];
    int i = threadIdx.x;
    if (i < n) {
        tile[i] = in[i];
    }
    __syncthreads();
    if (i < n) {
        float sum = tile[i];
        if (i + 1 < n) {
            sum += tile[i + 1];
        }
        if (i + 2 < n) {
            sum += tile[i + 2];
        }
        out[i] = sum; //~ wrong-result: shifted
    }
}
