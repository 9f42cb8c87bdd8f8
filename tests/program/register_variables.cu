// `register` is gone from C++17, and nvcc takes it nevertheless, in kernels and in host code.
#include <cstdio>

__global__ void square(int *out) {
    register int i = threadIdx.x;
    register int twice = i * i;
    out[i] = twice;
}

int main() {
    register int n = 8;
    int *out;
    cudaMallocManaged(&out, n * sizeof(int));
    square<<<1, n>>>(out);
    cudaDeviceSynchronize();
    int sum = 0;
    for (register int i = 0; i < n; ++i) sum += out[i];
    printf("%d\n", sum);
    cudaFree(out);
}
