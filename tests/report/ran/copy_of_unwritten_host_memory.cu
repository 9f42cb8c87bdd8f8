#include <cstdlib>

int main() {
    float *h = (float *)malloc(128), *d;
    cudaMalloc(&d, 128);
    cudaMemcpy(d, h, 128, cudaMemcpyHostToDevice);
    cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost);
    cudaFree(d);
    free(h);
}
