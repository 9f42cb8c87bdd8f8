// The pointer is moved through the memory, and freed where it ends up.
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                   \
    do {                                                              \
        cudaError_t e_ = (call);                                      \
        if (e_ != cudaSuccess) {                                      \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                  \
        }                                                             \
    } while (0)

__global__ void mark(int *part, int value) { part[threadIdx.x] = value; }

int main(void) {
    const int parts = 4, size = 32;
    int *d;
    CHECK(cudaMalloc(&d, parts * size * sizeof(int)));
    for (int p = 0; p < parts - 1; p++, d += size) {
        mark<<<1, size>>>(d, p);
        CHECK(cudaGetLastError());
    }
    int first;
    CHECK(cudaMemcpy(&first, d - size, sizeof(int), cudaMemcpyDeviceToHost));
    printf("last part holds %d\n", first);
    cudaError_t freed = cudaFree(d); //~ A007
    printf("%s\n", cudaGetErrorString(freed));
    CHECK(cudaFree(d - (parts - 1) * size));
    return 0;
}
