// Structures with padding are copied byte by byte: what lies between their members was never written.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
struct Particle { char kind; double mass; int id; };
__global__ void copy(const Particle *in, Particle *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) memcpy(&out[i], &in[i], sizeof(Particle));
}
__global__ void make(Particle *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Particle p;
        p.kind = 1; p.mass = i; p.id = i;
        memcpy(&out[i], &p, sizeof p);
    }
}
int main() {
    const int n = 64;
    Particle *in, *out, host[n];
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    make<<<1, n>>>(in, n);
    copy<<<1, n>>>(in, out, n);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %g %d\n", host[5].kind, host[5].mass, host[5].id);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
