// Programs written on Windows wait for a key at their end, and may clear the terminal before.
#include <cstdio>
#include <cstdlib>

__global__ void twice(int *x) { *x *= 2; }

int main() {
    system("cls");
    int h = 21, *d;
    cudaMalloc(&d, sizeof(int));
    cudaMemcpy(d, &h, sizeof(int), cudaMemcpyHostToDevice);
    twice<<<1, 1>>>(d);
    cudaMemcpy(&h, d, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    cudaFree(d);
    system("pause");
    return 0;
}
