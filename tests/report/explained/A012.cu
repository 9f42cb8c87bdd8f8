__global__ void kernel(int *x) {
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    x[threadIdx.x] = s[threadIdx.x];
}
int main() {
    const int bytes = 60 << 10;
    int *x;
    cudaMalloc(&x, 32 * sizeof(int));
#ifdef FIXED
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         bytes);
#endif
    kernel<<<1, 32, bytes>>>(x);
    cudaGetLastError();
    cudaFree(x);
}
