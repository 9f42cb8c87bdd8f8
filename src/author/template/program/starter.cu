// {kernel}: out[i] is twice in[i], for i from 0 to n - 1.

__global__ void double_all(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 2 * in[i];
    }
}

// `in` and `out` are in host memory.
void {kernel}(const float *in, float *out, int n) {
    // Write here what the host does.
}
