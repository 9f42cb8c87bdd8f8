// The pointer itself is given.
#include <cstdio>

int main() {
    float x[8] = {0};
    float *d_in, *d_x;
    cudaMalloc(&d_in, sizeof(x));
    cudaMalloc(&d_x, sizeof(x));
    cudaMemset(d_x, 0, sizeof(x));
    cudaMemcpy(d_in, d_x, sizeof(x), cudaMemcpyDeviceToDevice);
    cudaError_t error = cudaMemcpy(x, d_x, sizeof(x), cudaMemcpyDeviceToHost);
    printf("%d\n", error == cudaSuccess);
    cudaFree(d_x);
    cudaFree(d_in);
}
