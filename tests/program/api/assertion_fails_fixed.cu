// The data keeps to what the kernel asserts.
#include <stdio.h>
#include <stdlib.h>
#include <assert.h>

const int n = 32, size = 64;
__managed__ float table[size], out[n];
__managed__ int index_of[n];

__global__ void gather(const float *table, const int *index, float *out, int size) {
    int i = threadIdx.x;
    assert(index[i] < size);
    out[i] = table[index[i]];
}

int main(void) {
    for (int i = 0; i < size; i++) table[i] = i * 0.5f;
    for (int i = 0; i < n; i++) index_of[i] = 2 * i;
    gather<<<1, n>>>(table, index_of, out, size);
    cudaError_t ran = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(ran));
    if (ran == cudaSuccess) printf("out[31] = %.1f\n", out[31]);
    return 0;
}
