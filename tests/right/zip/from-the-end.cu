// The first thread has the last element.
extern "C" __global__ void zip(const float *a, const float *b, float *out) {
    int last = blockDim.x - 1;
    int i = last - threadIdx.x;
    float sum = a[i];
    sum += b[i];
    out[i] = sum;
}
