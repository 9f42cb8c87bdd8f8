// Errors of launches and calls: their names, and that they do not stay.
#include <cstdio>

__global__ void k(int *x) { if (x) *x = 1; }

void tell(const char *what, cudaError_t error) {
    printf("%-28s %d %s\n", what, (int)error, cudaGetErrorName(error));
}

int main() {
    k<<<1, 2048>>>(nullptr); //~ A012
    tell("2048 threads", cudaGetLastError());
    tell("asked again", cudaGetLastError());
    k<<<0, 32>>>(nullptr); //~ A012
    tell("no blocks", cudaPeekAtLastError());
    tell("still there", cudaGetLastError());
    k<<<dim3(1, 70000), 32>>>(nullptr); //~ A012
    tell("grid too tall", cudaGetLastError());
    k<<<1, dim3(8, 8, 128)>>>(nullptr); //~ A012
    tell("block too deep", cudaGetLastError());
    k<<<1, 32, 1 << 20>>>(nullptr); //~ A012
    tell("a megabyte of shared memory", cudaGetLastError());
    void *p = nullptr;
    tell("an exabyte", cudaMalloc(&p, (size_t)1 << 60));
    cudaGetLastError();
    tell("no such device", cudaSetDevice(1000));
    cudaGetLastError();
    int n = 0;
    tell("count", cudaGetDeviceCount(&n));
    int *d;
    tell("malloc", cudaMalloc(&d, 64));
    char h[128];
    tell("bad direction", cudaMemcpy(d, h, 64, (cudaMemcpyKind)9));
    cudaGetLastError();
    tell("free", cudaFree(d));
    tell("free of null", cudaFree(nullptr));
    tell("at the end", cudaDeviceSynchronize());
    printf("%s\n", cudaGetErrorString(cudaErrorInvalidConfiguration));
    printf("%s\n", cudaGetErrorString(cudaErrorMemoryAllocation));
}
