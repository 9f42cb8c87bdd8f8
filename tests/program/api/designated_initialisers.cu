// Designated initialisers, which host compilers accept in C++17, too.
#include <cstdio>

struct Size { int rows, columns; };

__global__ void area(Size size, int *out) {
    Size padded = {.rows = size.rows + 1, .columns = size.columns};
    *out = padded.rows * padded.columns;
}

int main() {
    Size size = {.rows = 3,
                 .columns = 4};
    int *out, host;
    if (cudaMalloc(&out, sizeof(int)) != cudaSuccess) return 1;
    area<<<1, 1>>>(size, out);
    if (cudaGetLastError() != cudaSuccess) return 1;
    if (cudaMemcpy(&host, out, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    printf("%d\n", host);
    if (cudaFree(out) != cudaSuccess) return 1;
}
