#include <cstdio>

__global__ void add(int a, int b, int *sum) {
    *sum = a + b;
}

int main() {
    int a, b, sum, *d;
    scanf("%d%d", &a, &b);
    cudaMalloc(&d, sizeof(int));
    add<<<1, 1>>>(a, b, d);
    cudaMemcpy(&sum, d, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d);
    printf("%d\n", sum);
}
