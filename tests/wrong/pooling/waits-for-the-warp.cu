// Waits for its own warp only.
#define MAX_THREADS 256

extern "C" __global__ void pooling(const float *in, float *out, int n) {
    __shared__ float tile[MAX_THREADS];
    int i = threadIdx.x;
    if (i < n) {
        tile[i] = in[i];
    }
    __syncwarp();
    if (i < n) {
        float sum = tile[i];
        if (i >= 1) {
            sum += tile[i - 1]; //~ shared-race
        }
        if (i >= 2) {
            sum += tile[i - 2];
        }
        out[i] = sum;
    }
}
