// An object that owns memory is passed by value: the copy's destructor frees what the object still uses.
#include <cstdio>

struct Buffer {
    int *p;
    explicit Buffer(int n) { cudaMalloc(&p, n * sizeof(int)); }
    ~Buffer() { cudaFree(p); }
};

__global__ void fill(int *out) {
    out[threadIdx.x] = threadIdx.x;
}

void run(Buffer b) {
    fill<<<1, 32>>>(b.p);
    cudaDeviceSynchronize();
}

int main() {
    Buffer b(32);
    run(b);
    fill<<<1, 32>>>(b.p);
    cudaDeviceSynchronize();
}
