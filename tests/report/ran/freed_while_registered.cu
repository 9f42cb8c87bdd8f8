// The wrong pointer is unregistered, so the memory is still registered when it is freed.
#include <cstdlib>

int main() {
    float *h = (float *)malloc(4096);
    cudaHostRegister(h, 4096, cudaHostRegisterDefault);
    if (cudaHostUnregister(h + 4) == cudaSuccess) return 1;
    free(h);
}
