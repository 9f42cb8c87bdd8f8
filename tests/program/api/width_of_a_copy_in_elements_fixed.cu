// The width of a row is given in bytes.
#include <cstdio>

int main() {
    int *d, h[80] = {}, back[80];
    size_t pitch;
    cudaMallocPitch(&d, &pitch, 40, 8);
    cudaMemcpy2D(d, pitch, h, 40, 40, 8, cudaMemcpyHostToDevice);
    cudaMemcpy2D(back, 40, d, pitch, 40, 8, cudaMemcpyDeviceToHost);
    if (back[79] == 12345) puts("other values");
    puts("done");
    cudaFree(d);
    return 0;
}
