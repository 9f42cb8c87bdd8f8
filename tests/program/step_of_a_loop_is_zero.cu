// A loop's step is 0: the compiler divides by it to know how often the loop runs.
#include <cstdio>

__global__ void fill(int *values, int n) {
    int first = threadIdx.x;
    for (int i = first; i < n; i += first) values[i] = i; //~ N004
}

int main() {
    int *values;
    cudaMalloc(&values, 1000 * sizeof(int));
    fill<<<1, 32>>>(values, 1000);
    printf("done\n");
    cudaDeviceSynchronize();
    cudaFree(values);
}
