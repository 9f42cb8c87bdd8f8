// A second pointer moves through the memory; the first is kept and freed.
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
    int *part = d;
    for (int p = 0; p < parts - 1; p++, part += size) {
        mark<<<1, size>>>(part, p);
        CHECK(cudaGetLastError());
    }
    int first;
    CHECK(cudaMemcpy(&first, part - size, sizeof(int), cudaMemcpyDeviceToHost));
    printf("last part holds %d\n", first);
    cudaError_t freed = cudaFree(d);
    printf("%s\n", cudaGetErrorString(freed));
    return 0;
}
