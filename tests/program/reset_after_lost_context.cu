// A context that was lost does not come back in this process: cudaDeviceReset succeeds, and from then on
// no device is available.
#include <cassert>
#include <cstdio>

__global__ void wrong(int *x) { assert(x[0] == 1); } //~ T002

#define SAY(call) printf("%s: %s\n", #call, cudaGetErrorName(call))

int main() {
    int *x, *p;
    SAY(cudaMallocManaged(&x, sizeof(int)));
    *x = 2;
    wrong<<<1, 1>>>(x);
    SAY(cudaDeviceSynchronize());
    SAY(cudaMalloc(&p, 16));
    SAY(cudaGetLastError());
    SAY(cudaGetLastError());
    SAY(cudaDeviceReset());
    SAY(cudaGetLastError());
    SAY(cudaMalloc(&p, 16));
    SAY(cudaGetLastError());
    SAY(cudaDeviceSynchronize());
    return 0;
}
