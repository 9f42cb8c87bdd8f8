// A thread has at most 512 KiB of local memory: the compiler of the machine code refuses more.
// modelled: there is no machine code of it
#include <cstdio>

__global__ void k(float *out, int n) {
    float all[200000];
    for (int i = 0; i < 200000; i++)
        all[i] = i * n;
    float sum = 0;
    for (int i = 0; i < 200000; i++)
        sum += all[(i * n) % 200000];
    out[threadIdx.x] = sum;
}

int main() {
    float *d;
    cudaMalloc(&d, 128);
    k<<<1, 32>>>(d, 3); //~ A012
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(d);
}
