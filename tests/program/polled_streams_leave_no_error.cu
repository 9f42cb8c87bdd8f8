// cudaErrorNotReady is an answer, not an error that stays: cudaGetLastError() does not return it.
// modelled: a GPU may have done the work before it is asked
#include <cstdio>

__global__ void work(int *x) {
    for (int i = 0; i < 1000; i++) atomicAdd(x, 1);
}

int main() {
    int *x;
    cudaMalloc(&x, sizeof(int));
    cudaMemset(x, 0, sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    work<<<1, 32, 0, stream>>>(x);
    if (cudaGetLastError() != cudaSuccess) return 1;
    int asked = 0;
    while (cudaStreamQuery(stream) == cudaErrorNotReady) asked++;
    printf("asked more than once: %d\n", asked > 0);
    printf("%s\n", cudaGetErrorString(cudaPeekAtLastError()));
    if (cudaGetLastError() != cudaSuccess) return 2;
    cudaStreamDestroy(stream);
    cudaFree(x);
    return 0;
}
