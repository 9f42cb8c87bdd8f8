// The result is copied into a host array of the same size.
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

__global__ void table(int *out, int columns) {
    int row = blockIdx.x, column = threadIdx.x;
    out[row * columns + column] = (row + 1) * (column + 1);
}

int main(void) {
    const int rows = 10, columns = 12;
    const size_t bytes = rows * columns * sizeof(int);
    int *result = (int *)malloc(bytes);
    int *d;
    CHECK(cudaMalloc((void **)&d, bytes));
    table<<<rows, columns>>>(d, columns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result, d, bytes, cudaMemcpyDeviceToHost));
    printf("3 * 7 = %d\n", result[2 * columns + 6]);
    CHECK(cudaFree(d));
    free(result);
    return 0;
}
