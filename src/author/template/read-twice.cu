// The right values, but each thread reads its element twice.
extern "C" __global__ void {kernel}(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const volatile float *element = in + i;
        out[i] = *element + *element; //~ too-much-work: global_reads_per_thread
    }
}
