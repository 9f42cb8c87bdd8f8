// The kernel is given the address that the function has on the host; that of the device is in a table.
#include <cstdio>

typedef float (*operation)(float, float);

__device__ float plus(float a, float b) { return a + b; }
__device__ operation table[2] = {plus, plus};

__global__ void apply(operation f, float *p) {
    p[threadIdx.x] = f(p[threadIdx.x], 3); //~ M009
}

int main() {
    float h[32] = {}, *d;
    cudaMalloc(&d, sizeof(h));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    operation f = plus;
    apply<<<1, 32>>>(f, d);
    cudaMemcpyFromSymbol(&f, table, sizeof(f), sizeof(f));
    apply<<<1, 32>>>(f, d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%g\n", h[1]);
    cudaFree(d);
    return 0;
}
