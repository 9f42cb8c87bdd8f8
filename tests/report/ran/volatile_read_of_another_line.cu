__global__ void fold_block(float *out) {
    __shared__ float s[64];
    int i = threadIdx.x;
    s[i] = i;
    __syncthreads();
    s[i] += 1;

    if (i < 32) {
        out[i] = ((volatile float *)s)[i + 32];
    }
}

__global__ void fold(float *out, float *x) {
    int i = threadIdx.x;
    x[i] = i;
    __syncthreads();
    x[i] += 1;

    if (i < 32) {
        out[i] = ((volatile float *)x)[i + 32];
    }
}

int main() {
    float *out;
    cudaMalloc(&out, 128 * sizeof(float));
    fold_block<<<1, 64>>>(out);
    fold<<<1, 64>>>(out, out + 64);
    cudaDeviceSynchronize();
    cudaFree(out);
}
