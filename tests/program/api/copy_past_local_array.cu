// The local array that a result is copied to has half the size.
#include <cstdio>

struct Row {
    float x[4];
};

__global__ void count(int *out, int from) { out[threadIdx.x] = from + threadIdx.x; }

int main() {
    int last[16], first[8], *d;
    Row row = {{1, 2, 3, 4}};
    cudaError_t e = cudaMalloc(&d, 16 * sizeof(int));
    if (e != cudaSuccess) return 1;
    count<<<1, 16>>>(d, 0);
    e = cudaMemcpy(first, d, 16 * sizeof(int), cudaMemcpyDeviceToHost); //~ A001
    if (e != cudaSuccess) return 2;
    count<<<1, 16>>>(d, 100);
    e = cudaMemcpy(last, d, 16 * sizeof(int), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) return 3;
    e = cudaMemcpy(d, &row, sizeof row, cudaMemcpyHostToDevice);
    if (e != cudaSuccess) return 4;
    printf("%d %d\n", first[7], last[15]);
    return cudaFree(d) != cudaSuccess;
}
