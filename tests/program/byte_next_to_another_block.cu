// Thread 0 of each block copies a byte that nobody wrote; the bytes next to it are of other blocks. Which of these have
// run does not matter, on any number of host threads.
#include <cstdio>

__global__ void copy(const char *from, char *to, int rounds) {
    int i = blockIdx.x * 33 + threadIdx.x;
    int sum = 0;
    for (int round = 0; round < rounds; round++) sum = sum * 3 + round;
    char value = sum == 12345 ? 2 : 1;
    if (threadIdx.x == 0) value = from[i];
    to[i] = value;
}

int main() {
    const int bytes = 368 * 33;
    char *from, *to;
    cudaMalloc(&from, bytes);
    cudaMalloc(&to, bytes);
    copy<<<368, 33>>>(from, to, 300);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(from);
    cudaFree(to);
}
