// Page-locked memory goes back to the heap while it is still registered.
#include <cstdio>
#include <cstdlib>

int main() {
    const size_t bytes = 1024 * sizeof(float);
    float *h = (float *)malloc(bytes), *d;
    cudaHostRegister(h, bytes, cudaHostRegisterDefault);
    cudaMalloc(&d, bytes);
    for (int i = 0; i < 1024; i++) h[i] = i;
    cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);
    printf("h[7] = %g\n", h[7]);
    free(h); //~ A007
    cudaFree(d);
    return 0;
}
