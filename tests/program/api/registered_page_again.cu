// A driver locks whole pages, and refuses one that is locked already.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

int main() {
    char *memory = (char *)malloc(4 * 4096);
    char *page = (char *)(((uintptr_t)memory + 4095) / 4096 * 4096);
    printf("%s\n", cudaGetErrorName(cudaHostRegister(page, 100, cudaHostRegisterDefault)));
    printf("%s\n", cudaGetErrorName(cudaHostRegister(page + 2048, 100, cudaHostRegisterDefault)));
    printf("%s\n", cudaGetErrorName(cudaHostRegister(page + 4096, 100, cudaHostRegisterDefault)));
    cudaHostUnregister(page);
    printf("%s\n", cudaGetErrorName(cudaHostRegister(page + 2048, 100, cudaHostRegisterDefault)));
    cudaHostUnregister(page + 2048);
    cudaHostUnregister(page + 4096);
    free(memory);
    return 0;
}
